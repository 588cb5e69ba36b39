// Gradient descent by each loss from one start, computed at once and shown step by step.
const STEPS = 240, WITHIN = 4, GOOD = 0.9; // each step is four of gradient descent

// Numbers of A after each step, and its IoU.
function raced(name, a, b) {
  const family = familyOf(a, b), target = numbers(b, family), f = kernels[family];
  const iou = f.names.indexOf("iou"), p = numbers(a, family);
  // An angle counts by the way that a corner of B goes.
  const reach = Math.max(1, Math.hypot(...sides(b)) / 2), scale = p.map((_, k) => (family === "turned" && k === 4 ? reach : 1));
  const whole = Math.hypot(...p.map((x, k) => (x - target[k]) * scale[k]));
  const path = [], count = STEPS * WITHIN;
  for (let k = 0; k <= count; k += 1) {
    if (k % WITHIN === 0) path.push({ p: [...p], iou: f.scores(...p, ...target)[iou] });
    // Together almost three times the straight way.
    const g = f.losses[name](...p, ...target).slice(1).map((x, at) => x / scale[at]);
    const size = Math.hypot(...g), length = (4 * Math.max(whole, 1) * Math.sqrt(1 - k / count)) / count;
    if (size > 1e-9) g.forEach((x, at) => { p[at] -= (length * x) / size / scale[at]; });
  }
  return path;
}

const cornersAt = (p) => (p.length === 4 ? [[p[0], p[1]], [p[2], p[1]], [p[2], p[3]], [p[0], p[3]]] : cornersOf(p));

class Race {
  constructor() {
    const track = get("track"), chart = get("chart"), grid = [];
    this.target = element("polygon", { class: "shape b" }, track);
    this.start = element("polygon", { class: "start" }, track);
    this.boxes = Object.fromEntries(LOSSES.map((name) => [name, element("polygon", { class: `track ${name}` }, track)]));
    for (const y of [0, 0.25, 0.5, 0.75, 1]) {
      grid.push(`M66 ${this.y(y)}H458`);
      element("text", { class: "end", x: 58, y: this.y(y) + 4 }, chart, String(y));
    }
    for (const x of [0, 60, 120, 180, 240]) {
      grid.push(`M${this.x(x)} 16V256`);
      element("text", { class: "middle", x: this.x(x), y: 274 }, chart, String(x));
    }
    element("path", { class: "line-grid", d: grid.join("") }, chart);
    element("text", { class: "middle", x: 262, y: 293 }, chart, "step");
    element("text", { class: "middle", x: 12, y: 136, transform: "rotate(-90 12 136)" }, chart, "IoU");
    this.lines = Object.fromEntries(LOSSES.map((name) => [name, element("path", { class: `track ${name}` }, chart)]));
    this.head = element("path", { class: "playhead" }, chart);
    this.step = 0;
    this.still = matchMedia("(prefers-reduced-motion: reduce)");
    get("play").addEventListener("click", () => this.press());
    get("rewind").addEventListener("click", () => { this.pause(); this.show(0); });
    get("step").addEventListener("input", () => { this.pause(); this.show(Number(get("step").value)); });
  }

  x(step) {
    return 66 + (392 * step) / STEPS;
  }

  y(iou) {
    return 256 - 240 * iou;
  }

  // Of the boxes as they are now.
  run({ a, b }) {
    this.pause();
    this.paths = Object.fromEntries(LOSSES.map((name) => [name, raced(name, a, b)]));
    this.target.setAttribute("points", points(corners(b)));
    this.start.setAttribute("points", points(corners(a)));
    for (const name of LOSSES) this.lines[name].setAttribute("d", line(this.paths[name].map(({ iou }, k) => [this.x(k), this.y(iou)])));
    const reached = Object.fromEntries(LOSSES.map((name) => [name, this.paths[name].findIndex(({ iou }) => iou >= GOOD)]));
    for (const row of get("standings").tBodies[0].rows) row.cells[2].textContent = reached[row.dataset.loss] < 0 ? "never" : String(reached[row.dataset.loss]);
    get("race-words").textContent = this.words(reached);
    this.show(0);
  }

  words(reached) {
    const there = LOSSES.filter((name) => reached[name] >= 0).sort((p, q) => reached[p] - reached[q]);
    const still = this.paths.iou.every(({ iou }) => iou === this.paths.iou[0].iou) && reached.iou < 0;
    const all = there.length ? `An IoU of ${GOOD} is first reached by ${LABELS[there[0]]}, at step ${reached[there[0]]}.` : `No loss reaches an IoU of ${GOOD}.`;
    return still ? `${all} IoU stands still: where boxes are apart it has no gradient. Move box A onto box B to let it start.` : all;
  }

  show(step) {
    this.step = step;
    for (const name of LOSSES) this.boxes[name].setAttribute("points", points(cornersAt(this.paths[name][step].p)));
    for (const row of get("standings").tBodies[0].rows) row.cells[1].textContent = text(this.paths[row.dataset.loss][step].iou, 3);
    this.head.setAttribute("d", `M${round(this.x(step))} 16V256`);
    get("step").value = step;
    get("at").textContent = step;
  }

  press() {
    if (this.playing) return this.pause();
    if (this.still.matches) return this.show(STEPS);
    if (this.step === STEPS) this.show(0);
    const [from, began] = [this.step, performance.now()];
    get("play").textContent = "Pause";
    get("play").setAttribute("aria-pressed", "true");
    const frame = (now) => {
      this.show(Math.min(STEPS, from + Math.round((now - began) / 25)));
      if (this.step < STEPS) this.playing = requestAnimationFrame(frame);
      else this.pause();
    };
    this.playing = requestAnimationFrame(frame);
    return undefined;
  }

  pause() {
    cancelAnimationFrame(this.playing);
    this.playing = 0;
    get("play").textContent = "Play";
    get("play").setAttribute("aria-pressed", "false");
  }
}
