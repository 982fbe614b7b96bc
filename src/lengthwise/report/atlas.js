// The map of the atlas: filters, and everything about the chosen cell. No character here has a meaning in HTML or XML.
for (const map of document.querySelectorAll(".atlas-map")) {
  const cells = JSON.parse(document.querySelector(".atlas-data").textContent);
  const chosen = document.querySelector(".atlas-chosen");
  const form = document.querySelector(".atlas-filters");
  const count = form.querySelector("output");
  const fields = [...form.querySelectorAll("[data-filter]")];
  const rows = [...map.tBodies[0].rows];
  const titles = [...map.tHead.rows[0].cells];

  const button = (cell) => (cell ? cell.querySelector("button[data-cell]") : null);
  const all = () => [...map.querySelectorAll("button[data-cell]")];
  all().forEach((each, number) => { each.tabIndex = number ? -1 : 0; });

  function fits(cell, filters) {
    return fields.every((field) => {
      const wanted = filters[field.dataset.filter];
      if (!wanted) return true;
      const value = String(cell[field.dataset.filter]);
      return field.type === "search" ? value.toLowerCase().includes(wanted.toLowerCase()) : value === wanted;
    });
  }

  function show() {
    const filters = Object.fromEntries(fields.map((field) => [field.dataset.filter, field.value.trim()]));
    const seen = new Set();
    let shown = 0;
    for (const row of rows) {
      let any = false;
      [...row.cells].forEach((cell, column) => {
        const own = button(cell);
        if (!own) return;
        const fitting = fits(cells[own.dataset.cell], filters);
        cell.classList.toggle("out", !fitting);
        own.disabled = !fitting;
        if (fitting) { any = true; seen.add(column); shown += 1; }
      });
      row.hidden = !any;
    }
    titles.forEach((title, column) => {
      const hidden = column !== 0 ? !seen.has(column) : false;
      title.hidden = hidden;
      for (const row of rows) row.cells[column].hidden = hidden;
    });
    count.textContent = shown + " of " + cells.length + " cells";
  }

  function add(parent, tag, text) {
    const made = document.createElement(tag);
    made.textContent = text;
    parent.append(made);
    return made;
  }

  function curve(values) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", "svg");
    made.setAttribute("viewBox", "0 0 100 25");
    made.setAttribute("role", "img");
    made.setAttribute("aria-label", "median exact match by length");
    const line = document.createElementNS("http://www.w3.org/2000/svg", "polyline");
    const step = 98 / Math.max(1, values.length - 1);
    const points = values.map((value, place) => (value === null ? "" : (1 + step * place) + "," + (24 - 23 * value)));
    line.setAttribute("points", points.join(" "));
    made.append(line);
    return made;
  }

  const percent = (value) => (value === null ? "no instances" : Math.round(100 * value) + " %");

  function choose(own) {
    const cell = cells[own.dataset.cell];
    for (const each of all()) { each.removeAttribute("aria-current"); each.tabIndex = -1; }
    own.setAttribute("aria-current", "true");
    own.tabIndex = 0;
    chosen.hidden = false;
    chosen.replaceChildren();
    add(chosen, "h3", cell.problem + " × " + cell.encoding);
    const list = add(chosen, "dl", "");
    const line = (name, text) => { add(list, "dt", name); return add(list, "dd", text); };
    line("measured", cell.fitted ? cell.generalize + " of " + cell.fitted + " fitted runs (of " + cell.runs + ") are right at " + cell.at +
      " times the training length; 95 % interval " + cell.low.toFixed(2) + "–" + cell.high.toFixed(2) : "0 of " + cell.runs + " runs fitted");
    if (cell.median !== null) line("median exact match", percent(cell.median));
    if (cell.curve.length) {
      const place = line("by length", cell.curve.map((value, index) => (index + 1) + "×: " + percent(value)).join(", "));
      place.append(curve(cell.curve));
    }
    line("predicted", cell.answer).className = cell.answer;
    line("by counting", cell.counting).className = cell.counting;
    line("by fixed precision", cell.fixed_precision).className = cell.fixed_precision;
    line("theorem", cell.theorem);
    if (cell.certificate) line("certificate", cell.certificate);
    line("together", cell.remark);
    if (cell.own) line("whose runs", "your own");
    add(line("train it again", ""), "code", cell.command);
  }

  map.addEventListener("click", (event) => {
    const own = event.target.closest("button[data-cell]");
    if (own) choose(own);
  });
  map.addEventListener("keydown", (event) => {
    const own = event.target.closest("button[data-cell]");
    const step = { ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0] }[event.key];
    if (!own || !step) return;
    event.preventDefault();
    const order = [...map.tBodies[0].rows];
    let row = order.indexOf(own.closest("tr"));
    let column = own.closest("td").cellIndex;
    for (let tries = 0; tries !== 1000; tries += 1) {
      row += step[0];
      column += step[1];
      if (!order[row] || !order[row].cells[column]) return;
      const next = button(order[row].cells[column]);
      if (next && !next.disabled) { choose(next); next.focus(); return; }
    }
  });
  form.addEventListener("input", show);
  form.addEventListener("submit", (event) => event.preventDefault());
  show();
}
