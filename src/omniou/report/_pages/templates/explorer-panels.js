// Boxes of one distance, and GIoU against IoU.
// What each of x1, y1, x2, y2 has of the whole distance, which is the length of such a row.
const WAYS = [
  ["shrunk", [0.5, 0.5, -0.5, -0.5]], ["grown", [-0.5, -0.5, 0.5, 0.5]], ["one side moved", [0, 0, 1, 0]],
  ["one corner moved", [0, 0, Math.SQRT1_2, Math.SQRT1_2]], ["shifted along x", [Math.SQRT1_2, 0, Math.SQRT1_2, 0]],
  ["shifted along a diagonal", [0.5, 0.5, 0.5, 0.5]],
];

function distanceFor({ a, b }) {
  const upright = { ...b, deg: 0 }, least = Math.min(...sides(b));
  const l2 = a.deg === 0 ? scoresOf(a, upright).l2 : 0;
  return l2 > 0.5 && l2 <= 0.9 * least ? l2 : 0.6 * least;
}

function away(b, way, distance) {
  const [x1, y1, x2, y2] = numbers(b, "upright").map((x, k) => x + distance * way[k]);
  return { x1: round(x1), y1: round(y1), x2: round(x2), y2: round(y2), deg: 0 };
}

// Boxes at a distance from B in random directions, and their IoU.
function overlapsAt(b, distance, count = 500) {
  const draw = random(7), found = [];
  while (found.length < count) {
    const way = [0, 1, 2, 3].map(() => Math.sqrt(-2 * Math.log(1 - draw())) * Math.cos(2 * Math.PI * draw()));
    const length = Math.hypot(...way);
    found.push(scoresOf(away(b, way.map((x) => x / length), distance), b).iou);
  }
  return found;
}

class SameDistance {
  constructor(choose) {
    this.buttons = WAYS.map(([name, way]) => {
      const button = document.createElement("button");
      button.type = "button";
      const svg = element("svg", { "aria-hidden": "true" });
      const shapes = ["b", "a"].map((which) => element("rect", { class: `shape ${which}` }, svg));
      const value = document.createElement("b"), words = document.createElement("span");
      words.textContent = name;
      button.append(svg, value, words);
      button.addEventListener("click", () => choose(button.box));
      get("presets").append(button);
      return { button, svg, shapes, value, way };
    });
    this.strip = get("strip");
    element("path", { class: "axis", d: "M20 38H460" }, this.strip);
    for (const x of [0, 0.25, 0.5, 0.75, 1]) {
      element("path", { class: "axis", d: `M${20 + 440 * x} 38v5` }, this.strip);
      element("text", { class: "middle", x: 20 + 440 * x, y: 58 }, this.strip, String(x));
    }
    this.ticks = element("path", { class: "ticks", "stroke-width": 1.5 }, this.strip);
    this.mark = element("path", { class: "playhead", "stroke-width": 3 }, this.strip);
  }

  draw(state, s) {
    const b = { ...state.b, deg: 0 }, distance = distanceFor(state), [w, h] = sides(b), margin = distance + 4;
    get("distance").textContent = text(distance, 1);
    for (const { button, svg, shapes, value, way } of this.buttons) {
      const box = away(b, way, distance), iou = scoresOf(box, b).iou;
      button.box = box;
      svg.setAttribute("viewBox", [b.x1 - margin, b.y1 - margin, w + 2 * margin, h + 2 * margin].map((x) => round(x)).join(" "));
      [b, box].forEach((one, k) => {
        for (const [key, x] of [["x", one.x1], ["y", one.y1], ["width", one.x2 - one.x1], ["height", one.y2 - one.y1]]) shapes[k].setAttribute(key, Math.max(x, key === "x" || key === "y" ? x : 0));
      });
      value.textContent = `IoU ${text(iou, 3)}`;
    }
    const found = overlapsAt(b, distance);
    this.ticks.setAttribute("d", found.map((x) => `M${round(20 + 440 * x)} 12V32`).join(""));
    const same = state.a.deg === 0 && state.b.deg === 0 && Math.abs(s.l2 - distance) < 0.05;
    this.mark.setAttribute("d", same ? `M${round(20 + 440 * s.iou)} 5V38` : "");
    get("strip-words").textContent = `IoU of 500 boxes at this distance in random directions: from ${text(Math.min(...found), 3)} to ${text(Math.max(...found), 3)}.${same ? " The long line is yours." : ""}`;
  }
}

class Scatter {
  constructor(svg, choose) {
    const draw = random(3);
    this.pairs = Array.from({ length: 700 }, () => randomPair(draw)).map((pair) => ({ ...pair, ...scoresOf(pair.a, pair.b) }));
    const grid = [];
    for (const y of [-1, -0.5, 0, 0.5, 1]) {
      grid.push(`M70 ${this.y(y)}H464`);
      element("text", { class: "end", x: 62, y: this.y(y) + 4 }, svg, brief(y, 1));
    }
    for (const x of [0, 0.25, 0.5, 0.75, 1]) {
      grid.push(`M${this.x(x)} 12V276`);
      element("text", { class: "middle", x: this.x(x), y: 294 }, svg, String(x));
    }
    element("path", { class: "line-grid", d: grid.join("") }, svg);
    element("path", { class: "identity", d: `M${this.x(0)} ${this.y(0)}L${this.x(1)} ${this.y(1)}` }, svg);
    element("text", { class: "middle", x: 267, y: 312 }, svg, "IoU");
    element("text", { class: "middle", x: 14, y: 144, transform: "rotate(-90 14 144)" }, svg, "GIoU");
    element("path", { class: "dots", d: this.pairs.map((p) => `M${round(this.x(p.iou))} ${round(this.y(p.giou))}h.01`).join("") }, svg);
    this.cross = element("path", { class: "cross" }, svg);
    this.now = element("circle", { class: "now", r: 7 }, svg);
    svg.addEventListener("click", (event) => {
      const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(svg.getScreenCTM().inverse());
      const far = ({ iou, giou }) => Math.hypot(this.x(iou) - p.x, this.y(giou) - p.y);
      const nearest = this.pairs.reduce((best, pair) => (far(pair) < far(best) ? pair : best));
      if (far(nearest) < 25) choose(nearest);
    });
  }

  x(iou) {
    return 70 + 394 * iou;
  }

  y(giou) {
    return 144 - 132 * giou;
  }

  draw(s) {
    const [x, y] = [this.x(s.iou), this.y(s.giou)].map((v) => round(v));
    this.now.setAttribute("cx", x);
    this.now.setAttribute("cy", y);
    this.cross.setAttribute("d", `M70 ${y}H${x}V276`);
    get("scatter-words").textContent = `Your pair: IoU ${text(s.iou, 4)}, GIoU ${text(s.giou, 4)}. GIoU is never above IoU (the dashed line), and equal to it where the hull has no free area.`;
  }
}
