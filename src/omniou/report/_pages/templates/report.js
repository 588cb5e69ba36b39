"use strict";
// Sorts and filters tables, draws the curve of a class, saves the numbers. Without it the page shows all the same.
const SVG = "http://www.w3.org/2000/svg";

// The curve of a class is runs, [value, count, value, count, ...], and some rows are packed: their names once, then values.
const unrolled = (runs) => runs.flatMap((value, k) => (k % 2 ? [] : Array(runs[k + 1]).fill(value)));
const unpacked = (key, value) => {
  if (key !== "per_class" || !(value?.runs || value?.packed)) return value;
  if (value.runs) return value.runs.map(unrolled);
  const [names, ...rows] = value.packed;
  return rows.map((row) => Object.fromEntries(names.map((name, k) => [name, row[k]])));
};
const records = JSON.parse(document.getElementById("records").textContent, unpacked);

for (const hidden of document.querySelectorAll(".controls[hidden]")) hidden.hidden = false;

// Of a long table the first rows are visible, until a reader asks for all.
const FIRST = 12;
const limit = (table) => {
  const more = table.parentElement.nextElementSibling;
  const rows = [...table.tBodies[0].rows];
  const fitting = rows.filter((row) => !row.dataset.apart);
  const all = table.dataset.all || fitting.length <= FIRST + 3;
  for (const row of rows) row.hidden = Boolean(row.dataset.apart);
  for (const row of all ? [] : fitting.slice(FIRST)) row.hidden = true;
  more.hidden = fitting.length <= FIRST + 3;
  more.firstElementChild.textContent = table.dataset.all ? "Show fewer" : `Show ${fitting.length - FIRST} more`;
};

for (const table of document.querySelectorAll("table.sortable")) {
  const more = document.createElement("p");
  more.className = "controls";
  const button = document.createElement("button");
  button.type = "button";
  button.addEventListener("click", () => {
    table.dataset.all = table.dataset.all ? "" : "all";
    limit(table);
  });
  more.append(button);
  table.parentElement.after(more);
  limit(table);
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    if (!head.hasAttribute("aria-sort")) head.setAttribute("aria-sort", "none");
    button.addEventListener("click", () => {
      const numeric = column > 0;
      const before = head.getAttribute("aria-sort");
      const rising = before === "none" ? !numeric : before === "descending";
      for (const other of heads) other.setAttribute("aria-sort", "none");
      head.setAttribute("aria-sort", rising ? "ascending" : "descending");
      const key = (row) => {
        const text = row.cells[column].textContent.trim();
        return numeric ? Number.parseFloat(text.replace("\u2212", "-")) : text;
      };
      const rows = [...body.rows].map((row) => [key(row), row]);
      rows.sort(([a], [b]) => {
        if (!numeric) return (rising ? 1 : -1) * a.localeCompare(b, undefined, { numeric: true });
        if (Number.isNaN(a) || Number.isNaN(b)) return Number.isNaN(a) - Number.isNaN(b);
        return rising ? a - b : b - a;
      });
      body.append(...rows.map(([, row]) => row));
      limit(table);
    });
  });
}

for (const input of document.querySelectorAll("input[data-filters]")) {
  const table = document.getElementById(input.dataset.filters);
  const rows = [...table.tBodies[0].rows];
  const told = document.getElementById(`${input.dataset.filters}-count`);
  const empty = document.querySelector(`[data-shows="${input.dataset.filters}"]`);
  const filter = () => {
    const wanted = input.value.trim().toLowerCase();
    // Who looks for a name finds it among empty rows, too.
    const hides = empty && !empty.checked && !wanted;
    let shown = 0;
    for (const row of rows) {
      const fits = row.cells[0].textContent.toLowerCase().includes(wanted) && !(hides && row.className === "empty");
      row.dataset.apart = fits ? "" : "apart";
      shown += fits;
    }
    limit(table);
    told.textContent = `${shown} of ${rows.length} ${told.dataset.of}`;
  };
  input.addEventListener("input", filter);
  empty?.addEventListener("change", filter);
  filter();
}

for (const select of document.querySelectorAll("select[data-record]")) {
  const record = records[Number(select.dataset.record)];
  const curves = record.analyses.pr;
  const chart = document.getElementById(select.dataset.chart).querySelector("svg");
  const [left, top, width, height] = chart.dataset.area.split(" ").map(Number);
  record.per_class.forEach((row, place) => {
    if (row.objects) select.add(new Option(row.name, String(place)));
  });
  const line = document.createElementNS(SVG, "path");
  line.setAttribute("class", "line picked");
  chart.append(line);
  select.addEventListener("change", () => {
    const precision = select.value === "" ? [] : curves.per_class[Number(select.value)];
    const points = precision.map((y, k) => `${left + width * curves.recall[k]} ${top + height * (1 - y)}`);
    line.setAttribute("d", points.length ? `M${points.join("L")}` : "");
  });
}

document.getElementById("save").addEventListener("click", () => {
  const whole = records.length === 1 ? records[0] : records;
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([JSON.stringify(whole, null, 2)], { type: "application/json" }));
  link.download = "omniou.json";
  link.click();
  URL.revokeObjectURL(link.href);
});

const closed = () => document.querySelectorAll("details:not([open], .aside, .screen)");
const opened = [];
addEventListener("beforeprint", () => {
  opened.push(...closed());
  for (const details of opened) details.open = true;
});
addEventListener("afterprint", () => {
  for (const details of opened.splice(0)) details.open = false;
});
