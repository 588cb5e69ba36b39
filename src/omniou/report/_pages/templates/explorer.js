// One state, and what is drawn of it.
const state = { ...structuredClone(EXAMPLE), loss: START_LOSS };
const stage = new Stage(get("stage"), state, (name, box) => set({ [name]: box }));
const same = new SameDistance((box) => set({ a: box, b: { ...state.b, deg: 0 } }));
const scatter = new Scatter(get("scatter"), ({ a, b }) => set({ a, b }));
const race = new Race();
const later = new Map();

// Runs once nothing of this name was asked for in a while.
function soon(name, wait, action) {
  clearTimeout(later.get(name));
  later.set(name, setTimeout(action, wait));
}

function set(changes) {
  Object.assign(state, changes);
  tell("");
  draw();
  soon("address", 150, () => history.replaceState(null, "", address(state)));
}

function draw() {
  const s = scoresOf(state.a, state.b);
  stage.draw();
  fillTable(state, s);
  get("gradient").textContent = gradientWords(state, s);
  get("python").textContent = python(state);
  for (const input of document.querySelectorAll("[data-field]")) {
    if (input === document.activeElement && input.getAttribute("aria-invalid") === "true") continue;
    const value = state[input.dataset.box][input.dataset.field];
    if (input !== document.activeElement || Number(input.value) !== value) input.value = value;
    input.removeAttribute("aria-invalid");
  }
  for (const input of document.querySelectorAll('input[name="loss"]')) input.checked = input.value === state.loss;
  scatter.draw(s);
  soon("panels", 60, () => { same.draw(state, s); race.run(state); });
  soon("spoken", 600, () => { get("spoken").textContent = `${spokenWords(s)}. ${gradientWords(state, s)}`; });
}

function tell(words) {
  get("told").textContent = words;
  get("told").hidden = !words;
}

function restore() {
  try {
    const found = readAddress(location.hash);
    if (!found) return;
    Object.assign(state, found);
    tell("");
  } catch (error) {
    tell(`The address is not understood (${error.message}): the boxes stay as they are.`);
  }
}

for (const input of document.querySelectorAll("[data-field]")) {
  input.addEventListener("input", () => {
    const box = { ...state[input.dataset.box], [input.dataset.field]: input.valueAsNumber };
    const right = Object.values(box).every((x) => Number.isFinite(x) && Math.abs(x) <= FARTHEST) && box.x2 >= box.x1 && box.y2 >= box.y1;
    input.setAttribute("aria-invalid", String(!right));
    if (right) set({ [input.dataset.box]: { ...box, deg: turnOf(box.deg) } });
    else tell("A box needs five numbers, its right side not left of its left one, and its bottom not above its top.");
  });
  input.addEventListener("blur", () => {
    if (input.getAttribute("aria-invalid") !== "true") return;
    tell("");
    draw();
  });
}
for (const input of document.querySelectorAll('input[name="loss"]')) input.addEventListener("change", () => set({ loss: input.value }));

const drawn = random(Date.now());
const actions = {
  reset: () => set(structuredClone(EXAMPLE)),
  apart: () => set({ a: { x1: 60, y1: 60, x2: 220, y2: 180, deg: 0 }, b: { x1: 380, y1: 200, x2: 560, y2: 340, deg: 0 } }),
  upright: () => set({ a: { ...state.a, deg: 0 }, b: { ...state.b, deg: 0 } }),
  random: () => set(randomPair(drawn)),
  link: () => { history.replaceState(null, "", address(state)); copy(location.href, get("link")); },
  copy: () => copy(get("python").textContent, get("copy")),
};
for (const [id, action] of Object.entries(actions)) get(id).addEventListener("click", action);

async function copy(words, button) {
  const before = (button.dataset.words ??= button.textContent);
  const done = await navigator.clipboard?.writeText(words).then(() => true, () => false);
  if (!done && button.id === "copy") getSelection().selectAllChildren(get("python"));
  button.textContent = done ? "Copied" : button.id === "copy" ? "Selected" : "See the address bar";
  soon(button.id, 1500, () => { button.textContent = before; });
}

addEventListener("hashchange", () => { restore(); draw(); });
restore();
draw();
