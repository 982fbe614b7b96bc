// From answers to elements. Text only ever becomes a text node; the drawing is parsed as XML, not as HTML.

import { splitWord, walk } from "./state.js";

/** Return an element; attributes that are null are left out, children are elements or text. */
export function make(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name === "click") made.addEventListener("click", value);
    else if (value !== null) made.setAttribute(name, value);
  }
  made.append(...children.filter((child) => child !== null && child !== ""));
  return made;
}

export function showError(error) {
  const line = error.line > 1 ? make("p", {}, `Line ${error.line}:`) : null;
  return make("div", { class: "error" }, make("p", {}, make("strong", {}, "Error: "), error.message),
    line, error.caret ? make("pre", { class: "caret", tabindex: "0" }, error.caret) : null,
    error.hint ? make("p", {}, `Hint: ${error.hint}`) : null);
}

export function showQuestion(question) {
  const kinds = { regex: "a regular expression", language: "a named language", task: "a task", program: "a program", file: "an automaton" };
  const states = question.automaton ? `, ${question.automaton.states} state${question.automaton.states === 1 ? "" : "s"}` : "";
  const over = question.over ? ` over ${question.over}` : "";
  return make("p", {}, make("code", {}, question.what), `: ${kinds[question.read_as] ?? question.read_as}${over}${states}, ${question.asked}.`,
    question.note ? make("span", { class: "soft" }, ` Note: ${question.note}`) : null);
}

/** Return all answers in one line, each a link to its row, and a link to what they mean. */
export function showShort(rows, name = "row", label = "Answers in short") {
  const links = rows.map((row, number) => make("a", { href: `#${name}-${number}` }, make("code", {}, row.encoding), " ", make("span", { class: row.answer }, row.answer)));
  return make("nav", { class: "short", "aria-label": label }, ...links, make("a", { href: "#meanings" }, "What does this mean?"));
}

export function showRows(rows, caption, name = "row") {
  const body = rows.map((row, number) => make("tr", { id: `${name}-${number}` },
    make("th", { scope: "row" }, make("code", {}, row.encoding)),
    make("td", { class: row.answer }, row.answer),
    make("td", {}, make("p", {}, row.reason), row.aside ? make("p", {}, row.aside) : null,
      row.measured ? make("p", {}, row.measured) : null,
      row.assumption ? make("p", { class: "soft" }, `Assumed: ${row.assumption.replace(`${row.encoding}: `, "")}.`) : null, why(row))));
  return make("div", { class: "scroll" }, make("table", { class: "verdicts" },
    make("caption", {}, caption),
    make("thead", {}, make("tr", {}, ...["Encoding", "Answer", "Why"].map((name) => make("th", { scope: "col" }, name)))),
    make("tbody", {}, ...body)));
}

function why(row) {
  const theories = row.theories.map((theory) => make("li", {}, make("strong", {}, theory.name), ": ",
    make("span", { class: theory.answer }, theory.answer), theory.class ? ` for ${theory.class}. ` : ". ",
    theory.reason === row.reason ? "This is the answer above." : theory.reason));
  const theorem = row.theorem;
  return make("details", {}, make("summary", {}, "Both theories, theorem and certificate"),
    make("ul", {}, ...theories),
    theorem ? make("p", {}, make("strong", {}, `Theorem (${theorem.name}): `), theorem.statement) : null,
    theorem ? make("p", { class: "soft" }, `Source: ${theorem.citation} Standing: ${theorem.status}`) : null,
    row.certificate ? make("p", {}, `Certificate: ${row.summary}. `,
      make("button", { type: "button", click: () => download(`certificate-${row.encoding}.json`, row.certificate) }, "Download"), " ",
      make("button", { type: "button", "data-check": row.certificate }, "Check it here")) : null);
}

/** Offer a text as a file. */
export function download(name, text) {
  const address = URL.createObjectURL(new Blob([text], { type: "application/json" }));
  const link = make("a", { href: address, download: name.replace(/[^\w.-]/g, "_") });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10000);
}

/** Return the automaton's picture and a field in which one walks through it, or null where there is no automaton. */
export function showAutomaton(automaton, word, onWord) {
  if (!automaton || !automaton.transitions.length) return null;
  const picture = drawing(automaton.drawing);
  const said = make("p", { role: "status", class: "walk" });
  const field = make("input", { type: "text", id: "word", spellcheck: "false", autocapitalize: "off", autocomplete: "off" });
  field.value = word;
  const step = () => {
    const found = walk(automaton, splitWord(field.value, automaton.alphabet));
    said.textContent = describeWalk(found, automaton);
    mark(picture, found.wrong === null ? found.states.at(-1) : null);
  };
  field.addEventListener("input", () => { step(); onWord(field.value); });
  step();
  return make("section", { "aria-labelledby": "automaton" }, make("h2", { id: "automaton" }, "The automaton"),
    picture ? make("div", { class: "scroll picture", tabindex: "0", role: "group", "aria-label": "Drawing of the automaton" }, picture)
      : make("p", { class: "soft" }, `It has ${automaton.states} states, too many to draw.`),
    make("label", { for: "word" }, "Type a word and watch the state"), field, said);
}

function describeWalk(found, automaton) {
  if (found.wrong !== null) return `${JSON.stringify(found.wrong)} is not in the alphabet.`;
  const path = found.states.length > 30 ? ["…", ...found.states.slice(-30)] : found.states;
  const length = found.states.length - 1;
  const inside = found.accepted ? "in the language" : "not in the language";
  return `${length === 0 ? "The empty word" : `The word of length ${length}`} is ${inside}. States: ${path.join(" → ")}.`;
}

function drawing(text) {
  if (!text) return null;
  const parsed = new DOMParser().parseFromString(text, "image/svg+xml").documentElement;
  return parsed.localName === "svg" ? document.importNode(parsed, true) : null;
}

function mark(picture, state) {
  for (const circle of picture?.querySelectorAll("g.state") ?? []) {
    circle.classList.toggle("current", circle.querySelector("text").textContent === String(state));
  }
}

/** Return what goes beyond the verdicts: pairs, programs and repairs. */
export function showAdvice(found) {
  const parts = [];
  if (found.pairs.length) {
    const groups = Map.groupBy(found.pairs, (pair) => `${pair.in}\n${pair.out}`);
    const rows = [...groups.values()].map((same) => make("tr", {},
      make("td", {}, make("code", {}, same[0].in)), make("td", {}, make("code", {}, same[0].out)),
      make("td", {}, same.map((pair) => pair.encoding).join(", "))));
    parts.push(make("h2", {}, "Words to test a trained model on"),
      make("p", {}, "The first word is in the language and the second is not. The proof of NO says that models take one for the other, if the words are long enough."),
      make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Hard word pairs" }, make("table", {},
        make("thead", {}, make("tr", {}, ...["In the language", "Not in it", "Encodings"].map((name) => make("th", { scope: "col" }, name)))),
        make("tbody", {}, ...rows))));
  }
  const groups = Map.groupBy(found.programs, (each) => each.kind + each.text);
  for (const same of groups.values()) {
    const names = same.map((each) => each.encoding).join(", ");
    const about = same[0].kind === "program" ? "A C-RASP program that solves it" : "A formula that solves it in fixed precision";
    parts.push(make("details", {}, make("summary", {}, `${about} (${names})`),
      make("pre", { class: "scroll", tabindex: "0" }, same[0].text),
      same[0].kind === "program" ? make("button", { type: "button", "data-program": same[0].text }, "Run it on a word") : null));
  }
  if (found.repairs.length) {
    parts.push(make("h2", {}, "What would help"), make("ul", {}, ...found.repairs.map((line) => make("li", {}, line))));
  }
  if (found.stopped) parts.push(make("p", { class: "soft" }, `The search for advice stopped early: ${found.stopped}`));
  return parts;
}

export function showComparison(found) {
  const [left, right] = found.questions;
  let said = "At least one of the two is not a regular language, so the words are not compared.";
  if (found.equal) said = "Both describe the same language.";
  if (found.equal === false) {
    said = `They differ. A shortest word in one of them only is ${found.word}: it is in the ${found.only_in === 0 ? "first" : "second"} language.`;
  }
  return make("div", {}, make("p", { class: "result" }, said), make("div", { class: "beside" },
    ...found.rows.map((rows, number) => make("div", {}, showShort(rows, `row-${number}`, `Answers for the ${number ? "second" : "first"} language`), showQuestion([left, right][number]),
      showRows(rows, `Verdicts for the ${number ? "second" : "first"} language`, `row-${number}`)))));
}

export function showProgram(found) {
  const findings = make("ul", {}, ...found.findings.map((each) => make("li", {}, make("strong", {}, each.severity), `: ${each.message}`)));
  const parts = [findings];
  if (found.trace_error) parts.push(showError(found.trace_error));
  if (found.trace) parts.push(make("p", { class: "result" }, `Result: ${found.trace.result}.`), traceTable(found.trace));
  if (found.rows.length) parts.push(showShort(found.rows), showRows(found.rows, "Verdicts for the problem that this program solves"));
  return make("div", {}, ...parts);
}

function traceTable(trace) {
  const head = (name, cells) => make("tr", {}, make("th", { scope: "row" }, name), ...cells.map((cell) => make("th", { scope: "col" }, cell)));
  const rows = trace.rows.map((row) => make("tr", {}, make("th", { scope: "row", title: row.text }, row.name),
    ...row.values.map((value) => make("td", { class: "number" }, value))));
  return make("div", { class: "scroll", tabindex: "0", role: "group", "aria-label": "Trace of the program" }, make("table", { class: "trace" },
    make("caption", {}, "Every value at every position. ✓ is true, · is false, ⊣ is the end marker."),
    make("thead", {}, head("position", trace.symbols.map((_, number) => String(number + 1))), head("symbol", trace.symbols)),
    make("tbody", {}, ...rows)));
}

export function showChecks(found) {
  return make("ul", {}, ...found.checks.map((done) => {
    const word = done.accepted === null ? "not checked" : done.accepted ? "accepted" : "rejected";
    const kind = { accepted: "YES", rejected: "NO" }[word] ?? "UNKNOWN";
    const about = done.encoding ? [" (", make("code", {}, done.encoding), ")"] : [];
    return make("li", {}, make("strong", { class: kind }, word), ...about, `: ${done.claim}`,
      done.objection ? ` Objection: ${done.objection}.` : "");
  }));
}
