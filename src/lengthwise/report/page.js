"use strict";
// Tables are sorted by a click on a column's title, or by the keyboard: the title becomes a button. No character here has a meaning
// in HTML or XML. In a notebook, tables of others stay as they are.
{
  for (const table of document.querySelectorAll(".lengthwise-page table")) {
    const body = table.tBodies[0];
    if (!table.tHead || !(body.rows.length > 1)) continue;
    table.classList.add("sortable");
    const titles = [...table.tHead.rows[0].cells];
    titles.forEach((title, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...title.childNodes);
      title.replaceChildren(button);
      button.addEventListener("click", () => {
        const upwards = title.getAttribute("aria-sort") !== "ascending";
        for (const other of titles) other.removeAttribute("aria-sort");
        title.setAttribute("aria-sort", upwards ? "ascending" : "descending");
        const rows = [...body.rows].sort((one, other) => compare(one, other, column) * (upwards ? 1 : -1));
        body.replaceChildren(...rows);
      });
    });
  }

  function compare(one, other, column) {
    const [first, second] = [one, other].map((row) => row.cells[column].textContent.trim());
    const [left, right] = [first, second].map(value);
    if (Number.isNaN(left)) return Number.isNaN(right) ? first.localeCompare(second, "en", { numeric: true }) : -1;
    return Number.isNaN(right) ? 1 : left - right; // what is no number stands before all numbers
  }

  // "2/3 (9–99)" counts as a share, "90.0 (20.0–100)" as the number in front.
  function value(text) {
    const found = /^(−?-?[\d.]+(?:e-?\d+)?)(?:\/(\d+))?(?= |,|$)/.exec(text);
    if (!found) return NaN;
    const number = parseFloat(found[1].replace("−", "-"));
    return found[2] ? number / parseFloat(found[2]) : number;
  }

  // On paper everything is open.
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll(".lengthwise-page details")) details.open = true;
  });
}
