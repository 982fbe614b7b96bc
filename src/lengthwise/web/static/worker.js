// Python in a thread of its own: a request comes in as JSON text, and its answer goes out as JSON text.

import { SNAPSHOT } from "./engine.js";
import { loadPyodide } from "./pyodide/pyodide.mjs";

async function load(address) {
  const found = await fetch(address);
  if (!found.ok) throw new Error(`${address}: ${found.status}`);
  return found;
}

/** Return the memory of a Python that has imported lengthwise already. */
async function snapshot() {
  const packed = (await load("./pyodide/snapshot.bin")).body;
  return new Response(packed.pipeThrough(new DecompressionStream("gzip"))).arrayBuffer();
}

async function start() {
  const source = load("./lengthwise.zip").then((found) => found.arrayBuffer());
  const options = { indexURL: new URL("./pyodide/", import.meta.url).href };
  if (SNAPSHOT) options._loadSnapshot = await snapshot();
  const python = await loadPyodide(options);
  python.unpackArchive(await source, "zip", { extractDir: "/lengthwise" });
  if (!SNAPSHOT) python.runPython("import sys; sys.path.insert(0, '/lengthwise'); sys.dont_write_bytecode = True");
  return python.pyimport("lengthwise.web.answers").answer;
}

const started = start().then(
  (answer) => { postMessage({ ready: true }); return answer; },
  (error) => { postMessage({ fatal: `Python could not start: ${error.message ?? error}` }); },
);

addEventListener("message", async ({ data }) => {
  const answer = await started;
  if (!answer) return;
  try {
    postMessage({ id: data.id, answer: answer(data.request) });
  } catch (error) {
    postMessage({ id: data.id, fatal: String(error.message ?? error).slice(-600) });
  }
});
