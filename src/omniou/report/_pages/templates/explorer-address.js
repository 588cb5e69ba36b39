// The state in the address: #a=x1,y1,x2,y2,degrees&b=...&loss=giou.
const START_LOSS = "giou";

function boxFrom(words) {
  const found = words.split(",").map((x) => (x.trim() === "" ? NaN : Number(x)));
  const right = (found.length === 4 || found.length === 5) && found.every((x) => Number.isFinite(x) && Math.abs(x) <= FARTHEST);
  if (!right) throw new Error("a box is four numbers, and degrees as a fifth if it is turned");
  const [x1, y1, x2, y2, deg = 0] = found;
  if (x2 < x1 || y2 < y1) throw new Error("a box has its left side left of its right one, and its top above its bottom");
  return { x1, y1, x2, y2, deg: turnOf(deg) };
}

// A state, or null where the address has none; an error says what is wrong with it.
function readAddress(hash) {
  if (!hash.includes("=")) return null;
  const found = new Map(hash.slice(1).split("&").map((part) => {
    const [name, ...rest] = part.split("=");
    return [name, decodeURIComponent(rest.join("="))];
  }));
  for (const name of ["a", "b"]) if (!found.has(name)) throw new Error(`box ${name.toUpperCase()} is missing`);
  const loss = found.get("loss") ?? START_LOSS;
  if (!Object.hasOwn(LABELS, loss)) throw new Error("the loss is not known");
  return { a: boxFrom(found.get("a")), b: boxFrom(found.get("b")), loss };
}

function address({ a, b, loss }) {
  const words = (box) => [box.x1, box.y1, box.x2, box.y2, ...(box.deg ? [box.deg] : [])].join(",");
  return `#a=${words(a)}&b=${words(b)}&loss=${loss}`;
}
