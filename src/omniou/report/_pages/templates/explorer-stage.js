// The picture of both boxes, and how they are dragged.
const SVG = "http://www.w3.org/2000/svg";
const get = (id) => document.getElementById(id);

function element(name, attributes = {}, parent = null, words = null) {
  const made = document.createElementNS(SVG, name);
  for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
  if (words !== null) made.textContent = words;
  parent?.append(made);
  return made;
}

const points = (list) => list.map(([x, y]) => `${round(x)},${round(y)}`).join(" ");
const line = (list) => (list.length ? `M${list.map(([x, y]) => `${round(x)} ${round(y)}`).join("L")}` : "");

class Stage {
  // `change(name, box)` is called for a box that was moved.
  constructor(svg, state, change) {
    this.svg = svg;
    this.state = state;
    this.change = change;
    this.active = "a";
    const grid = [];
    for (let x = 40; x < WIDTH; x += 40) grid.push(`M${x} 0V${HEIGHT}`);
    for (let y = 40; y < HEIGHT; y += 40) grid.push(`M0 ${y}H${WIDTH}`);
    element("path", { class: "line-grid", d: grid.join("") }, svg);
    const clip = element("clipPath", { id: "inside-a" }, element("defs", {}, svg));
    this.clip = element("polygon", {}, clip);
    this.hull = element("polygon", { class: "hull" }, svg);
    const boxes = { a: this.box("a"), b: this.box("b") };
    this.both = element("polygon", { class: "both", "clip-path": "url(#inside-a)" }, svg);
    this.under = element("path", { class: "arrow arrow-under" }, svg);
    this.arrows = element("path", { class: "arrow" }, svg);
    // Handles lie above both boxes, or one could not be taken where the other box is.
    this.parts = Object.fromEntries(Object.entries(boxes).map(([name, part]) => [name, { ...part, ...this.handles(name) }]));
    svg.addEventListener("pointerdown", (event) => this.press(event));
    svg.addEventListener("keydown", (event) => this.key(event));
    new ResizeObserver(() => this.draw()).observe(svg);
  }

  box(name) {
    const group = element("g", { class: `box ${name}`, tabindex: 0, role: "application", "aria-roledescription": "movable box", "aria-describedby": "keys", "data-box": name, "data-part": "move" }, this.svg);
    group.addEventListener("focus", () => this.activate(name));
    const shape = element("polygon", { "data-part": "move" }, group);
    const ring = element("polygon", { class: "ring" }, group);
    const label = element("text", { class: "middle" }, group, name.toUpperCase());
    return { group, shape, ring, label };
  }

  handles(name) {
    const tools = element("g", { class: `tools ${name}`, "data-box": name }, this.svg);
    const stem = element("path", { class: "stem" }, tools);
    const grips = ["0", "1", "2", "3", "turn"].map((part) => ({
      part, shown: element(part === "turn" ? "circle" : "rect", { class: "handle" }, tools), hit: element("circle", { "data-part": part }, tools),
    }));
    return { tools, stem, grips };
  }

  activate(name) {
    this.active = name;
    this.draw();
  }

  // Pixels of the image in one of the screen, so that handles have one size on every screen.
  unit() {
    return WIDTH / Math.max(1, this.svg.clientWidth || WIDTH);
  }

  draw() {
    const { a, b } = this.state, unit = this.unit();
    this.clip.setAttribute("points", points(corners(a)));
    this.both.setAttribute("points", points(corners(b)));
    this.hull.setAttribute("points", points(hullOf(a, b)));
    for (const name of ["a", "b"]) this.drawBox(name, this.state[name], unit);
    this.drawArrows(unit);
  }

  drawBox(name, box, unit) {
    const part = this.parts[name], around = corners(box), [x, y] = centre(box), r = radians(box.deg);
    part.tools.classList.toggle("active", name === this.active);
    part.group.setAttribute("aria-label", `Box ${name.toUpperCase()}: left ${brief(box.x1)}, top ${brief(box.y1)}, right ${brief(box.x2)}, bottom ${brief(box.y2)}, turned by ${brief(box.deg)} degrees`);
    part.shape.setAttribute("points", points(around));
    part.ring.setAttribute("points", points(cornersOf([x, y, ...sides(box).map((s) => s + 10 * unit), r])));
    // The names stand in the corners that lie apart: A's first one, B's third.
    const [cx, cy] = cornersOf([x, y, ...sides(box).map((s) => Math.max(0, s - 40 * unit)), r])[name === "a" ? 0 : 2];
    part.label.setAttribute("x", cx);
    part.label.setAttribute("y", cy + 6 * unit);
    part.label.style.fontSize = `${17 * unit}px`;
    const [, h] = sides(box), up = h / 2 + 26 * unit, top = [x + (h / 2) * Math.sin(r), y - (h / 2) * Math.cos(r)];
    const turn = [x + up * Math.sin(r), y - up * Math.cos(r)];
    // Near the upper edge the handle is below the box.
    const side = turn[1] < 12 * unit && Math.abs(box.deg) < 90 ? -1 : 1;
    const knob = side > 0 ? turn : [2 * x - turn[0], 2 * y - turn[1]];
    part.stem.setAttribute("d", line([side > 0 ? top : [2 * x - top[0], 2 * y - top[1]], knob]));
    part.knobSide = side;
    for (const { part: which, shown, hit } of part.grips) {
      const [px, py] = which === "turn" ? knob : around[Number(which)], size = 5 * unit;
      if (which === "turn") for (const [key, value] of [["cx", px], ["cy", py], ["r", 6 * unit]]) shown.setAttribute(key, value);
      else for (const [key, value] of [["x", px - size], ["y", py - size], ["width", 2 * size], ["height", 2 * size]]) shown.setAttribute(key, value);
      const quarter = Math.round(box.deg / 90), falling = (Number(which) + quarter) % 2 === 0;
      hit.setAttribute("class", which === "turn" ? "hit turn" : `hit ${falling ? "falling" : "rising"}`);
      for (const [key, value] of [["cx", px], ["cy", py], ["r", 15 * unit]]) hit.setAttribute(key, value);
    }
  }

  drawArrows(unit) {
    const { a, b, loss } = this.state;
    const ways = loss === "none" ? [] : descent(loss, a, b).ways;
    const longest = Math.max(0, ...ways.map(([u, v]) => Math.hypot(u, v)));
    const paths = longest < 1e-9 ? [] : ways.map(([u, v], k) => arrow(corners(a)[k], [(u / longest) * 58 * unit, (v / longest) * 58 * unit], unit));
    for (const path of [this.under, this.arrows]) path.setAttribute("d", paths.join(""));
  }

  // A point of the screen in the image.
  at(event) {
    const p = new DOMPoint(event.clientX, event.clientY).matrixTransform(this.svg.getScreenCTM().inverse());
    return [p.x, p.y];
  }

  press(event) {
    const target = event.target.closest("[data-part]"), group = event.target.closest("[data-box]");
    if (!target || !group || event.button > 0 || this.dragging) return;
    event.preventDefault();
    const name = group.dataset.box, part = target.dataset.part, from = this.at(event), box = this.state[name];
    this.dragging = true;
    this.activate(name);
    this.parts[name].group.focus({ preventScroll: true, focusVisible: false });
    target.setPointerCapture(event.pointerId);
    const follow = (now) => now.pointerId === event.pointerId && this.change(name, this.dragged(name, box, part, from, this.at(now)));
    const end = (now) => {
      if (now.pointerId !== event.pointerId) return;
      this.dragging = false;
      target.removeEventListener("pointermove", follow);
      for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) target.removeEventListener(kind, end);
    };
    target.addEventListener("pointermove", follow);
    for (const kind of ["pointerup", "pointercancel", "lostpointercapture"]) target.addEventListener(kind, end);
  }

  dragged(name, box, part, [fx, fy], [px, py]) {
    if (part === "move") return moved(box, Math.round(px - fx), Math.round(py - fy));
    if (part === "turn") {
      const [x, y] = centre(box), way = this.parts[name].knobSide;
      const deg = (Math.atan2(way * (px - x), way * (y - py)) * 180) / Math.PI;
      return { ...box, deg: turnOf(Math.abs(deg) < 3 ? 0 : Math.round(deg)) };
    }
    const [cx, cy] = corners(box)[Number(part)];
    const [x, y] = [cx + px - fx, cy + py - fy];
    return resized(box, Number(part), box.deg === 0 ? [Math.round(x), Math.round(y)] : [x, y]);
  }

  key(event) {
    const name = event.target.dataset?.box;
    if (!name || event.ctrlKey || event.metaKey || event.altKey) return;
    const box = this.state[name], step = 5;
    const way = { ArrowLeft: [-step, 0], ArrowRight: [step, 0], ArrowUp: [0, -step], ArrowDown: [0, step] }[event.key];
    const turn = { "[": -5, "]": 5 }[event.key];
    if (!way && !turn) return;
    event.preventDefault();
    if (turn) this.change(name, { ...box, deg: turnOf(box.deg + turn) });
    else this.change(name, event.shiftKey ? stretched(box, ...way) : moved(box, ...way));
  }
}

function arrow([x, y], [u, v], unit) {
  const length = Math.hypot(u, v);
  if (length < 3 * unit) return "";
  const [ex, ey] = [x + u, y + v], head = Math.min(9 * unit, length * 0.6) / length;
  const [bx, by] = [ex - head * u, ey - head * v], [sx, sy] = [-0.55 * head * v, 0.55 * head * u];
  return line([[x, y], [ex, ey]]) + line([[bx + sx, by + sy], [ex, ey], [bx - sx, by - sy]]);
}
