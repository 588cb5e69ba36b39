// The table of scores, what is said of a gradient, and the lines of Python.
const DIGITS = { intersection: 1, union: 1, hull: 1, iou: 4, giou: 4, diou: 4, ciou: 4, probiou: 4, l1: 2, l2: 2 };

function formulas(s, a, b) {
  const turned = familyOf(a, b) === "turned", n = brief, four = (x) => brief(x, 4);
  const [wa, ha] = sides(a), [wb, hb] = sides(b);
  const inner = ["x", "y"].map((axis) => Math.max(0, Math.min(a[`${axis}2`], b[`${axis}2`]) - Math.max(a[`${axis}1`], b[`${axis}1`])));
  const outer = ["x", "y"].map((axis) => Math.max(a[`${axis}2`], b[`${axis}2`]) - Math.min(a[`${axis}1`], b[`${axis}1`]));
  const less = s.iou - s.diou, aspect = s.diou - s.ciou;
  const differences = ["x1", "y1", "x2", "y2"].map((key) => a[key] - b[key]);
  return {
    intersection: turned ? "I, area that both cover" : `I = ${n(inner[0])} \u00d7 ${n(inner[1])}`,
    union: `U = |A| + |B| \u2212 I = ${n(wa * ha, 1)} + ${n(wb * hb, 1)} \u2212 ${n(s.intersection, 1)}`,
    hull: turned ? "H, area of the convex hull" : `H = ${n(outer[0])} \u00d7 ${n(outer[1])}`,
    iou: `I / U = ${n(s.intersection, 1)} / ${n(s.union, 1)}`,
    giou: `IoU \u2212 (H \u2212 U) / H = ${four(s.iou)} \u2212 ${n(s.hull - s.union, 1)} / ${n(s.hull, 1)}`,
    diou: `IoU \u2212 \u03c1\u00b2 / c\u00b2 = ${four(s.iou)} \u2212 ${n(s.centre_distance_squared, 1)} / ${n(s.hull_diagonal_squared, 1)}`,
    ciou: `IoU \u2212 \u03c1\u00b2 / c\u00b2 \u2212 \u03b1v = ${four(s.iou)} \u2212 ${four(less)} \u2212 ${four(aspect)}`,
    probiou: `1 \u2212 \u221a(1 \u2212 exp(\u2212D)) = 1 \u2212 \u221a(1 \u2212 exp(\u2212${four(s.bhattacharyya)}))`,
    l1: turned ? "\u03a3 |\u0394| of the 8 coordinates of the corners" : `\u03a3 |\u0394| = ${differences.map((d) => n(Math.abs(d))).join(" + ")}`,
    l2: turned ? "\u221a\u03a3 \u0394\u00b2 of the 8 coordinates of the corners" : `\u221a\u03a3 \u0394\u00b2 = \u221a(${differences.map((d) => `${n(Math.abs(d))}\u00b2`).join(" + ")})`,
  };
}

// A piece of a formula, before which a line is broken first.
function piece(words) {
  const made = document.createElement("span");
  made.textContent = words;
  return made;
}

function fillTable(state, s) {
  const { a, b } = state, turned = familyOf(a, b) === "turned", said = formulas(s, a, b);
  for (const row of get("scores").tBodies[0].rows) {
    const name = row.dataset.score;
    const [formula, ...filled] = said[name].split(/ (?==)/);
    row.cells[1].replaceChildren(...[formula, ...filled].flatMap((words) => [piece(words), " "]));
    row.cells[2].textContent = text(s[name], DIGITS[name]);
  }
  get("family").textContent = turned ? "(turned: omniou.rotated)" : "(upright: omniou.boxes)";
  get("key").textContent = turned
    ? "\u03c1 is the distance of the centres, c the diagonal of the rectangle around both along the sides of one of them, v the difference of the aspect ratios, D the Bhattacharyya distance of both boxes as Gaussians. Areas in square pixels. GIoU of turned boxes takes their convex hull, which is smaller than the upright rectangle around both, and L1 and L2 take eight coordinates instead of four: these three jump at the start of a turn."
    : "\u03c1 is the distance of the centres, c the diagonal of the hull, v the difference of the aspect ratios, D the Bhattacharyya distance of both boxes as Gaussians. Areas in square pixels.";
}

function gradientWords({ a, b, loss }, s) {
  if (loss === "none") return "Choose a loss to see where a step of gradient descent would move the corners of box A.";
  const label = LABELS[loss], longest = Math.max(...descent(loss, a, b).ways.map(([u, v]) => Math.hypot(u, v)));
  if (longest < 1e-9) {
    if (s.l1 < 1e-9) return `${label}: no gradient. The boxes are equal, and there is nothing to improve.`;
    if (loss === "iou" && s.intersection === 0) return "IoU: the gradient is 0. The boxes are apart, and IoU stays 0 wherever box A moves a little: this loss cannot bring them together.";
    return `${label}: the gradient is 0 or too small for a number of 9 digits.`;
  }
  const unit = loss === "l1" || loss === "l2" ? "" : " per pixel";
  const size = longest >= 0.001 ? text(longest, 4) : longest.toExponential(1).replace("-", "\u2212");
  const apart = s.intersection === 0 && loss !== "iou" && loss !== "l1" && loss !== "l2" ? " The boxes are apart, and it still draws them together." : "";
  return `${label}: the arrows show where a step of gradient descent moves the corners of box A. The longest one stands for ${size}${unit}.${apart}`;
}

function spokenWords(s) {
  return ["iou", "giou", "diou", "ciou", "probiou"].map((name) => `${LABELS[name]} ${text(s[name], 4)}`).join(", ");
}

const real = (x) => (Number.isInteger(x) ? `${x}.0` : String(x));

function python({ a, b }) {
  const turned = familyOf(a, b) === "turned";
  const row = (box) => (turned
    ? `np.array([${[...centre(box), ...sides(box)].map(real).join(", ")}, np.radians(${real(box.deg)})])`
    : `np.array([${numbers(box, "upright").map(real).join(", ")}])`);
  const head = turned ? ["from omniou import losses, rotated", "x, y of the centre, sides, angle"] : ["from omniou import boxes, losses", "x1, y1, x2, y2"];
  const lines = ["import numpy as np", head[0], "", `a = ${row(a)}  # ${head[1]}`, `b = ${row(b)}`];
  if (turned) lines.push(
    "iou, giou = rotated.iou(a, b), rotated.giou(a, b)", "areas = rotated.area(a) + rotated.area(b)",
    "intersection = areas * iou / (1 + iou)", "union = areas - intersection", "hull = union / (1 + giou - iou)",
  );
  else lines.push("intersection, union = boxes.intersection(a, b), boxes.union(a, b)", "hull = boxes.area(boxes.enclosing(a, b))");
  lines.push('print(f"intersection {intersection:.1f}\\nunion {union:.1f}\\nhull {hull:.1f}")');
  const module = turned ? "rotated" : "boxes";
  lines.push('for name in ("iou", "giou", "diou", "ciou", "probiou"):', `    print(f"{name} {getattr(${module}, name)(a, b):.4f}")`);
  if (turned) lines.push("a, b = rotated.corners(a).reshape(8), rotated.corners(b).reshape(8)");
  lines.push('print(f"l1 {losses.l1(a, b):.2f}\\nl2 {np.linalg.norm(a - b):.2f}")');
  return lines.join("\n");
}
