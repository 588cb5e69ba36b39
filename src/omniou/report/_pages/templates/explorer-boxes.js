// Boxes: {x1, y1, x2, y2, deg}, corners before the turn about the centre. `kernels` has the functions of omniou.
const WIDTH = 640, HEIGHT = 400, FARTHEST = 10000;
const SIGNS = [[-1, -1], [1, -1], [1, 1], [-1, 1]];
const LABELS = { l1: "L1", l2: "L2", iou: "IoU", giou: "GIoU", diou: "DIoU", ciou: "CIoU", probiou: "ProbIoU", none: "none" };
const LOSSES = Object.keys(kernels.upright.losses);
const EXAMPLE = { a: { x1: 150, y1: 90, x2: 350, y2: 250, deg: 0 }, b: { x1: 270, y1: 150, x2: 470, y2: 310, deg: 0 } };

const radians = (deg) => (deg * Math.PI) / 180;
const round = (x, digits = 2) => Number(x.toFixed(digits)) + 0;
const centre = (box) => [(box.x1 + box.x2) / 2, (box.y1 + box.y2) / 2];
const sides = (box) => [box.x2 - box.x1, box.y2 - box.y1];
const familyOf = (a, b) => (a.deg === 0 && b.deg === 0 ? "upright" : "turned");

function numbers(box, family) {
  if (family === "upright") return [box.x1, box.y1, box.x2, box.y2];
  return [...centre(box), ...sides(box), radians(box.deg)];
}

// The corners of five numbers: centre, sides, radians.
function cornersOf([x, y, w, h, r]) {
  const cos = Math.cos(r), sin = Math.sin(r);
  return SIGNS.map(([i, j]) => {
    const u = (i * w) / 2, v = (j * h) / 2;
    return [x + u * cos - v * sin, y + u * sin + v * cos];
  });
}

function corners(box) {
  if (box.deg === 0) return [[box.x1, box.y1], [box.x2, box.y1], [box.x2, box.y2], [box.x1, box.y2]];
  return cornersOf(numbers(box, "turned"));
}

function boxOf(x, y, w, h, deg) {
  return { x1: round(x - w / 2), y1: round(y - h / 2), x2: round(x + w / 2), y2: round(y + h / 2), deg };
}

const turnOf = (deg) => round(deg - 360 * Math.round(deg / 360));

function moved(box, dx, dy) {
  const [x, y] = centre(box);
  const kept = (at, by, limit) => Math.min(Math.max(at + by, Math.min(at, 0)), Math.max(at, limit)) - at;
  const [ox, oy] = [kept(x, dx, WIDTH), kept(y, dy, HEIGHT)];
  return { ...box, x1: round(box.x1 + ox), x2: round(box.x2 + ox), y1: round(box.y1 + oy), y2: round(box.y2 + oy) };
}

// The box whose k-th corner is at a point while the opposite one stays.
function resized(box, k, [px, py]) {
  const [ox, oy] = corners(box)[(k + 2) % 4], r = radians(box.deg);
  const cos = Math.cos(r), sin = Math.sin(r), dx = px - ox, dy = py - oy;
  const [i, j] = SIGNS[k];
  const w = Math.max(1, i * (dx * cos + dy * sin)), h = Math.max(1, j * (dy * cos - dx * sin));
  const u = (i * w) / 2, v = (j * h) / 2;
  return boxOf(ox + u * cos - v * sin, oy + u * sin + v * cos, w, h, box.deg);
}

// The k-th corner moved in the box's own directions.
function stretched(box, dx, dy) {
  const [w, h] = sides(box), r = radians(box.deg), [x, y] = corners(box)[2];
  const u = Math.max(dx, 1 - w), v = Math.max(dy, 1 - h);
  return resized(box, 2, [x + u * Math.cos(r) - v * Math.sin(r), y + u * Math.sin(r) + v * Math.cos(r)]);
}

function scoresOf(a, b) {
  const family = familyOf(a, b), f = kernels[family];
  const values = f.scores(...numbers(a, family), ...numbers(b, family));
  return Object.fromEntries(f.names.map((name, k) => [name, values[k]]));
}

// Directions of descent that the corners of A take; an angle counts by the way that a corner goes, half a diagonal per radian.
function descent(name, a, b) {
  const family = familyOf(a, b), p = numbers(a, family);
  const [loss, ...g] = kernels[family].losses[name](...p, ...numbers(b, family));
  if (family === "upright") {
    const [l, t, r, d] = g.map((x) => -x);
    return { loss, ways: [[l, t], [r, t], [r, d], [l, d]] };
  }
  const [x, y, w, h, angle] = p, cos = Math.cos(angle), sin = Math.sin(angle);
  const turn = -g[4] / Math.max((w * w + h * h) / 4, 1e-9);
  const ways = SIGNS.map(([i, j], k) => {
    const u = (-i * g[2]) / 2, v = (-j * g[3]) / 2, [cx, cy] = cornersOf(p)[k];
    return [-g[0] + u * cos - v * sin - turn * (cy - y), -g[1] + u * sin + v * cos + turn * (cx - x)];
  });
  return { loss, ways };
}

function convexHull(points) {
  const sorted = [...points].sort(([x, y], [u, v]) => x - u || y - v);
  const half = (list) => {
    const chain = [];
    for (const [x, y] of list) {
      while (chain.length > 1) {
        const [[ax, ay], [bx, by]] = chain.slice(-2);
        if ((bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0) break;
        chain.pop();
      }
      chain.push([x, y]);
    }
    return chain.slice(0, -1);
  };
  return [...half(sorted), ...half(sorted.reverse())];
}

function hullOf(a, b) {
  const all = [...corners(a), ...corners(b)];
  if (familyOf(a, b) === "turned") return convexHull(all);
  const [xs, ys] = [0, 1].map((k) => all.map((p) => p[k]));
  const [l, t, r, d] = [Math.min(...xs), Math.min(...ys), Math.max(...xs), Math.max(...ys)];
  return [[l, t], [r, t], [r, d], [l, d]];
}

// Random numbers in [0, 1) that are the same each time (mulberry32).
function random(seed) {
  return () => {
    seed = (seed + 0x6d2b79f5) | 0;
    let t = Math.imul(seed ^ (seed >>> 15), 1 | seed);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
}

function randomBox(draw) {
  const w = Math.round(40 + 200 * draw()), h = Math.round(40 + 160 * draw());
  const x1 = Math.round((WIDTH - w) * draw()), y1 = Math.round((HEIGHT - h) * draw());
  return { x1, y1, x2: x1 + w, y2: y1 + h, deg: 0 };
}

// Half of all pairs are near each other.
function randomPair(draw) {
  const a = randomBox(draw);
  if (draw() < 0.4) return { a, b: randomBox(draw) };
  const [w, h] = sides(a), far = draw();
  const shift = (side) => Math.round(side * far * (draw() - 0.5) * 2);
  const b = { x1: a.x1 + shift(w), y1: a.y1 + shift(h), x2: a.x2 + shift(w), y2: a.y2 + shift(h), deg: 0 };
  return b.x2 > b.x1 && b.y2 > b.y1 ? { a, b } : { a, b: a };
}

const text = (x, digits) => round(x, digits).toFixed(digits).replace("-", "\u2212");
// As short as it can be said: 8000, 113.1, 0.25.
const brief = (x, digits = 2) => String(round(x, digits)).replace("-", "\u2212");
