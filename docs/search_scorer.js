/* How the search orders its results (html_search_scorer). The numbers are Sphinx' own, but for `score`: a page whose title
   has the words of the query comes before a function or an annotation in the text, and a page for users before one for
   contributors. search_pages.py writes ANSWERS, the page that comes first by query. */
var Scorer = {
  score: ([page, title, anchor, , score, , kind]) => {
    const query = new URLSearchParams(window.location.search).get("q") || "";
    const words = query.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];
    const inTitle = title.toLowerCase().match(/[\p{L}\p{N}]+/gu) || [];
    // "box" fits "boxes" and the other way round; "in" does not fit "install".
    const fits = (word, x) => x.startsWith(word) || (x.length > 2 && word.startsWith(x));
    const found = words.filter((word) => inTitle.some((x) => fits(word, x)));
    const share = words.length ? found.length / words.length : 0;
    // "HOTA: ..." before "Evaluate trackers: HOTA, ...".
    const early = share === 1 ? 10 / (1 + inTitle.findIndex((x) => words.some((word) => fits(word, x)))) : 0;
    // The name of a function with its module, such as "boxes.giou".
    const named = /[._]/.test(query) && `.${title}`.toLowerCase().endsWith(`.${query.trim().toLowerCase()}`) ? 60 : 0;
    const whole = kind !== "object" && !anchor;
    // Without hyphens and the s of a plural: "P-values" is "p value".
    const key = words.map((word) => word.replace(/xes$/, "x").replace(/(..)s$/, "$1")).join(" ");
    const first = whole && ANSWERS[key] === page ? 500 : 0;
    const after = { architecture: 20, changelog: 20, releasing: 20, project: 20, benchmarks: 5 }[page] || 0;
    const before = { quickstart: 6, evaluate: 5, detection: 4, "why-differs": 4, "low-ap": 4 }[page] || 0;
    return score + first + named + (whole ? 30 * share + early : 10 * share) + (share ? before : 0) - after - (page.startsWith("reference/") ? 10 : 0);
  },
  objNameMatch: 11,
  objPartialMatch: 6,
  objPrio: { 0: 15, 1: 5, 2: -5 },
  objPrioDefault: 0,
  title: 15,
  partialTitle: 7,
  term: 5,
  partialTerm: 2,
};
