"use strict";
// Draws the curves of one class of all models in place of their means.
const pick = document.getElementById("pick");
if (pick) {
  const models = records.records || [records.first, records.second];
  const drawn = JSON.parse(pick.dataset.models);
  const chart = document.getElementById(pick.dataset.chart).querySelector("svg");
  const [left, top, width, height] = chart.dataset.area.split(" ").map(Number);
  const names = new Set(models.flatMap((record) => record.per_class.filter((row) => row.objects).map((row) => row.name)));
  for (const name of names) pick.add(new Option(name, name));
  const lines = drawn.map(([style, place]) => {
    const line = document.createElementNS("http://www.w3.org/2000/svg", "path");
    line.setAttribute("class", `line chosen ${style}`);
    chart.append(line);
    return [line, models[place]];
  });
  pick.addEventListener("change", () => {
    chart.classList.toggle("picked", pick.value !== "");
    for (const [line, record] of lines) {
      const place = record.per_class.findIndex((row) => row.name === pick.value);
      const curves = record.analyses.pr;
      const known = place < 0 ? [] : curves.per_class[place].map((y, k) => [curves.recall[k], y]).filter(([, y]) => y !== null);
      const points = known.map(([x, y]) => `${left + width * x} ${top + height * (1 - y)}`);
      line.setAttribute("d", points.length ? `M${points.join("L")}` : "");
    }
  });
}
