// Folds sections on narrow screens, finds images by links, draws one large. Without it links lead to the section.
const figures = [...document.querySelectorAll("#images figure")];
const parts = [...document.querySelectorAll("details.part")];
// A phone starts with the numbers and the curves.
if (matchMedia("(max-width: 40rem)").matches) for (const part of parts.slice(1)) part.open = false;

const unfold = (element) => {
  for (let at = element?.closest("details"); at; at = at.parentElement.closest("details")) at.open = true;
};

const told = document.getElementById("chosen");
const show = (key) => {
  const link = key && document.querySelector(`a[href="#images/${key}"]`);
  const which = `[data-of~="${key}"]`;
  const chosen = link ? figures.filter((figure) => figure.querySelector(which)) : figures;
  for (const figure of figures) {
    figure.hidden = !chosen.includes(figure);
    for (const shape of figure.querySelectorAll("[data-of]")) {
      shape.classList.toggle("lit", Boolean(link) && shape.matches(which));
    }
  }
  told.hidden = !link;
  if (!link) return;
  const words = (link.querySelector("title, text") ?? link).textContent;
  told.firstElementChild.textContent = `${chosen.length} of ${figures.length}: ${words}`;
  for (const more of document.querySelectorAll("#images .more")) more.open = true;
};

const follow = () => {
  const [id, key] = location.hash.slice(1).split("/");
  const target = document.getElementById(id);
  if (!target) return;
  if (id === "images" && told) show(/^[\w-]+$/.test(key ?? "") ? key : "");
  unfold(target);
  target.scrollIntoView();
};
addEventListener("hashchange", follow);
document.addEventListener("click", (event) => {
  // The address stays where it leads already, and tells of no change.
  if (event.target.closest('a[href^="#"]')?.getAttribute("href") === location.hash) follow();
});
told?.querySelector("button").addEventListener("click", () => {
  location.hash = "#images";
});
if (location.hash) follow();

const dialog = document.getElementById("enlarged");
const stage = dialog.querySelector(".stage");
let enlarged;
// Names of all shapes: where the picture is small, those that would cover others are left out.
const letters = () => {
  const picture = stage.querySelector("svg");
  const { x: left, y: top, width, height } = picture.viewBox.baseVal;
  const box = picture.getBoundingClientRect();
  const letter = 12 / Math.min(box.width / width, box.height / height);
  const tags = picture.querySelector(".tags");
  tags?.setAttribute("font-size", letter);
  const image = records[0]?.analyses.worst_images?.images[figures.indexOf(enlarged)];
  if (!tags || !image) return;
  tags.classList.add("placed");
  tags.replaceChildren();
  const taken = [];
  for (const style of ["missed", "false", "hit"]) {
    const paths = [...picture.querySelectorAll(`.shape.${style} > path:not(.halo)`)];
    const rows = image.shapes[style] ?? [];
    const group = tags.appendChild(document.createElementNS(SVG, "g"));
    group.setAttribute("class", style);
    rows.slice(0, paths.length).forEach(([place, score], k) => {
      // A shape without points has an empty path.
      if (!paths[k].getAttribute("d")) return;
      const text = group.appendChild(document.createElementNS(SVG, "text"));
      const name = records[0].per_class[place].name;
      text.textContent = `${name.length > 24 ? `${name.slice(0, 23)}…` : name}${score === null ? "" : ` ${score.toFixed(2)}`}`;
      const wide = text.getComputedTextLength();
      const shape = paths[k].getBBox();
      const x = Math.max(left, Math.min(shape.x, left + width - wide));
      const ends = [shape.y - 0.3 * letter, shape.y + letter, shape.y + shape.height + letter, shape.y + shape.height - 0.3 * letter];
      const inside = ends.filter((y) => y > top + 0.9 * letter && y < top + height - 0.3 * letter);
      const meets = (y) => taken.some(([a, b, c]) => x < b && a < x + wide && Math.abs(c - y) < letter);
      const free = inside.find((at) => !meets(at));
      // Errors always have their name.
      if (free === undefined && style === "hit") return text.remove();
      const y = free ?? inside[0] ?? top + letter;
      taken.push([x, x + wide, y]);
      text.setAttribute("x", x);
      text.setAttribute("y", y);
    });
  }
};
const enlarge = (figure) => {
  enlarged = figure;
  stage.replaceChildren(figure.querySelector("svg").cloneNode(true));
  const [name, , ...rest] = [...figure.querySelector("figcaption").cloneNode(true).childNodes];
  document.getElementById("enlarged-name").textContent = name.textContent;
  dialog.querySelector(".caption").replaceChildren(...rest);
  if (!dialog.open) {
    dialog.showModal();
    // With the attribute "autofocus" Chromium would warn on each page whose address has a fragment.
    dialog.querySelector('[data-step="0"]').focus();
  }
  letters();
};
const step = (by) => {
  const others = [...enlarged.closest("details.part").querySelectorAll("figure.image:not([hidden])")];
  const next = others[others.indexOf(enlarged) + by];
  if (next) enlarge(next);
};
for (const figure of document.querySelectorAll("figure.image")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "enlarge";
  button.setAttribute("aria-label", `Enlarge ${figure.querySelector("svg").getAttribute("aria-label")}`);
  button.addEventListener("click", () => enlarge(figure));
  const picture = figure.querySelector("svg");
  picture.replaceWith(button);
  button.append(picture);
}
for (const button of dialog.querySelectorAll("[data-step]")) {
  const by = Number(button.dataset.step);
  button.addEventListener("click", () => (by ? step(by) : dialog.close()));
}
dialog.addEventListener("click", (event) => {
  if (event.target === dialog) dialog.close();
});
dialog.addEventListener("keydown", (event) => {
  if (event.key === "ArrowLeft" || event.key === "ArrowRight") step(event.key === "ArrowLeft" ? -1 : 1);
});
addEventListener("resize", () => dialog.open && letters());

// The switches are in the dialog, too.
const switches = document.querySelector("#images .switches");
if (switches) {
  const copy = switches.cloneNode(true);
  stage.after(copy);
  for (const [from, to] of [[switches, copy], [copy, switches]]) {
    from.addEventListener("change", (event) => {
      to.querySelector(`[value="${event.target.value}"]`).checked = event.target.checked;
    });
  }
}
