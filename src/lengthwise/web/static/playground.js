// The page: fields to state, state to fragment and question, answer to view.

import { Python } from "./python.js";
import { FIELDS, TABS, USUAL_ENCODINGS, readFragment, requestOf, writeFragment } from "./state.js";
import { download, make, showAdvice, showAutomaton, showChecks, showComparison, showError, showProgram, showQuestion, showRows, showShort } from "./view.js";

const PAUSE = 300; // milliseconds without typing after which the page asks
const SLOW = 1500; // milliseconds after which a running question can be stopped

const at = (id) => document.getElementById(id);
const fields = { other: "other", program: "program", input: "input", encodings: "encodings", alphabet: "alphabet", asked: "asked", readout: "readout" };

const COMPARED = [["(ab)*", "(ab)*a"], ["(ab)*", "()|a(ba)*b"]];
const PROGRAMS = [["as many a's as b's", "alphabet 'a' 'b'\naccept := #['a'] = #['b']\n", "aabb"],
  ["every b after an a", "alphabet 'a' 'b'\nearly := 'b' and #['a'] = 0\naccept := #[early] = 0\n", "abb"]];

let state = readFragment(location.hash);
let examples = {};
let shown = ""; // the question whose answer stands on the page
let timer = 0;
let slow = 0;

const python = new Python(tell);

function tell(news) {
  clearTimeout(slow);
  at("stop").hidden = true;
  if (news.starting) at("status").textContent = "Python is starting; this takes some seconds the first time.";
  if (news.failed) at("status").textContent = news.failed;
  if (news.idle) at("status").textContent = "Ready.";
  if (news.busy) {
    at("status").textContent = "Working.";
    slow = setTimeout(() => { at("stop").hidden = false; }, SLOW);
  }
}

function fill() {
  for (const [id, key] of Object.entries(fields)) at(id).value = state[key];
  at("what").value = state.what;
  at("left").value = state.what;
  at("encodings").placeholder = USUAL_ENCODINGS;
  at("regex").checked = state.regex === "1";
  for (const name of TABS) {
    const chosen = state.tab === name;
    at(`tab-${name}`).setAttribute("aria-selected", String(chosen));
    at(`tab-${name}`).tabIndex = chosen ? 0 : -1;
    at(`panel-${name}`).hidden = !chosen;
  }
  at("options").hidden = state.tab === "check";
}

function change(fresh, { soon = false } = {}) {
  state = { ...state, ...fresh };
  history.replaceState(null, "", `#${writeFragment(state)}`);
  clearTimeout(timer);
  timer = setTimeout(ask, soon ? 0 : PAUSE);
}

async function ask() {
  const request = requestOf(state);
  const question = JSON.stringify(request);
  if (question === shown) return;
  shown = question;
  if (request === null) return put();
  at("answer").setAttribute("aria-busy", "true"); // what stands there answers the question before
  const known = examples[question];
  const found = known?.answer ?? await python.ask(request);
  if (found === null || question !== shown) return;
  show(request, found);
  if (request.kind !== "predict" || found.error) return;
  const advice = known?.advice ?? await python.ask({ ...request, kind: "advise", number: 5 });
  if (advice && question === shown) at("advice")?.replaceChildren(...(advice.error ? [showError(advice.error)] : showAdvice(advice)));
}

/** Put an answer on the page in place of the one before. */
function put(...parts) {
  at("answer").removeAttribute("aria-busy");
  at("answer").replaceChildren(...parts);
}

function show(request, found) {
  if (found.error) return put(showError(found.error));
  if (request.kind === "compare") return put(showComparison(found));
  if (request.kind === "program") return put(showProgram(found));
  const command = make("p", {},
    make("button", { type: "button", click: () => download("verdicts.json", found.json + "\n") }, "Download as JSON"), " ",
    make("button", { type: "button", id: "copy", click: copyLink }, "Copy a link to this question"));
  const automaton = showAutomaton(found.question.automaton, state.word, (word) => {
    state = { ...state, word };
    history.replaceState(null, "", `#${writeFragment(state)}`);
  });
  put(showShort(found.rows), showQuestion(found.question), showRows(found.rows, "Verdicts"),
    make("div", { class: "soft" }, ...found.legend.filter((line) => !/^(YES|NO|UNKNOWN):/.test(line)).map((line) => make("p", {}, line))), command,
    ...(automaton ? [automaton] : []), make("div", { id: "advice" }));
}

async function copyLink() {
  try {
    await navigator.clipboard.writeText(location.href);
    at("copy").textContent = "Copied";
  } catch {
    at("copy").textContent = "Copy the address of this page instead";
  }
}

async function check(text) {
  shown = "";
  if (!text.trim()) return put();
  at("answer").setAttribute("aria-busy", "true");
  const found = await python.ask({ kind: "check", certificates: text });
  if (found && state.tab === "check") put(found.error ? showError(found.error) : showChecks(found));
}

function choose(name, fresh = {}) {
  put();
  shown = ""; // the same question again is asked again
  change({ ...fresh, tab: name }, { soon: true });
  fill();
  if (name === "check") check(at("certificates").value);
}

function wire() {
  for (const id of ["what", "left"]) at(id).addEventListener("input", () => change({ what: at(id).value, word: "" }));
  for (const [id, key] of Object.entries(fields)) at(id).addEventListener("input", () => change({ [key]: at(id).value }));
  at("regex").addEventListener("change", () => change({ regex: at("regex").checked ? "1" : "" }, { soon: true }));
  at("certificates").addEventListener("input", () => { clearTimeout(timer); timer = setTimeout(() => check(at("certificates").value), PAUSE); });
  at("file").addEventListener("change", async () => {
    const file = at("file").files[0];
    if (!file) return;
    at("certificates").value = file.size > 90000 ? "" : await file.text();
    if (file.size > 90000) put(showError({ message: `the file has ${file.size} bytes; the page takes up to 90,000.`, hint: "use lengthwise check." }));
    else check(at("certificates").value);
  });
  at("stop").addEventListener("click", () => python.stop());
  at("answer").addEventListener("click", ({ target }) => {
    if (target.dataset?.program) choose("program", { program: target.dataset.program, input: state.word });
    if (target.dataset?.check) {
      at("certificates").value = target.dataset.check;
      choose("check");
      at("tab-check").focus();
    }
  });
  for (const [number, name] of TABS.entries()) {
    at(`tab-${name}`).addEventListener("click", () => choose(name));
    at(`tab-${name}`).addEventListener("keydown", ({ key }) => {
      const step = { ArrowRight: 1, ArrowLeft: -1 }[key];
      if (!step) return;
      const next = TABS[(number + step + TABS.length) % TABS.length];
      choose(next);
      at(`tab-${next}`).focus();
    });
  }
  addEventListener("hashchange", () => {
    if (place()) { // a link to a part of this page asks nothing new
      history.replaceState(null, "", `#${writeFragment(state)}`);
      return;
    }
    state = readFragment(location.hash);
    put();
    shown = "";
    fill();
    ask();
  });
}

/** Return the part of this page that the fragment names, if it is no state. */
function place() {
  return at(location.hash.slice(1));
}

/** Add a button with an example to a line of them. */
function offer(line, name, click) {
  at(line).append(" ", make("button", { type: "button", click }, name));
}

async function loadExamples() {
  try {
    examples = Object.fromEntries((await (await fetch("examples.json")).json()).map((each) => [JSON.stringify(each.request), each]));
  } catch {
    examples = {};
  }
  for (const { request } of Object.values(examples)) {
    offer("examples", request.what, () => choose("language", { ...FIELDS, tab: "language", what: request.what }));
  }
  for (const [what, other] of COMPARED) offer("examples-compare", `${what} and ${other}`, () => choose("compare", { ...FIELDS, what, other }));
  for (const [name, program, input] of PROGRAMS) offer("examples-program", name, () => choose("program", { ...FIELDS, program, input }));
  for (const { request, answer } of Object.values(examples).slice(0, 3)) {
    offer("examples-check", `verdicts for ${request.what}`, () => { at("certificates").value = answer.json; check(answer.json); });
  }
  if ((!location.hash.slice(1) || place()) && Object.keys(examples).length) state = { ...state, what: Object.values(examples)[0].request.what };
}

wire();
await loadExamples();
fill();
ask();
