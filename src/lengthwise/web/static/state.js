// What the page shows, as a fragment of its address: every field is text, so that a link repeats a question exactly.

export const TABS = ["language", "compare", "program", "check"];

export const FIELDS = {
  tab: "language", what: "", other: "", program: "", input: "", word: "",
  encodings: "", alphabet: "", asked: "", readout: "", regex: "",
};

const CHOICES = { tab: TABS, asked: ["", "next"], readout: ["", "end", "last"], regex: ["", "1"] };
const MOST_CHARACTERS = 20000;

/** Return the state in a fragment. Unknown keys are dropped, and a value that is not allowed is the default. */
export function readFragment(fragment) {
  const state = { ...FIELDS };
  const found = new URLSearchParams(String(fragment).replace(/^#/, "").slice(0, MOST_CHARACTERS));
  for (const key of Object.keys(FIELDS)) {
    const value = found.get(key);
    if (value === null) continue;
    if (!CHOICES[key] || CHOICES[key].includes(value)) state[key] = value;
  }
  return state;
}

/** Return the fragment of a state: what differs from the defaults. */
export function writeFragment(state) {
  const parts = new URLSearchParams();
  for (const [key, usual] of Object.entries(FIELDS)) {
    if (state[key] !== usual) parts.set(key, state[key]);
  }
  return parts.toString();
}

export const USUAL_ENCODINGS = "nope, ape, rope, alibi";

/** Return the request to Python that a state stands for, or null where nothing is asked yet. */
export function requestOf(state) {
  const options = {
    encodings: state.encodings || USUAL_ENCODINGS, alphabet: state.alphabet, asked: state.asked,
    readout: state.readout, regex: state.regex === "1",
  };
  if (state.tab === "language") return state.what ? { kind: "predict", what: state.what, ...options } : null;
  if (state.tab === "compare") {
    return state.what && state.other ? { kind: "compare", what: state.what, other: state.other, ...options } : null;
  }
  if (state.tab === "program") {
    return state.program ? { kind: "program", program: state.program, word: state.input, encodings: options.encodings } : null;
  }
  return null;
}

/** Return the symbols of a typed word: characters, or separated by spaces where a symbol has several of them. */
export function splitWord(text, alphabet) {
  if (text === "" || text === "ε") return [];
  const several = alphabet.some((symbol) => [...symbol].length > 1);
  return several || (/ /.test(text) && !alphabet.includes(" ")) ? text.split(/\s+/).filter(Boolean) : [...text];
}

/** Return the states that a word passes, with the first symbol that is not in the alphabet if there is one. */
export function walk(automaton, symbols) {
  const states = [0];
  for (const symbol of symbols) {
    const column = automaton.alphabet.indexOf(symbol);
    if (column < 0) return { states, wrong: symbol, accepted: false };
    states.push(automaton.transitions[states.at(-1)][column]);
  }
  return { states, wrong: null, accepted: automaton.accepting.includes(states.at(-1)) };
}
