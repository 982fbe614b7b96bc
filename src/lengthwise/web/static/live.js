// The progress of a sweep, asked for again every two seconds while the page is seen.

const shown = document.querySelector(".live");

async function update() {
  if (document.hidden || !shown) return;
  try {
    const { finished, planned } = await (await fetch("progress.json")).json();
    const bar = shown.querySelector("progress");
    bar.max = Math.max(1, planned);
    bar.value = finished;
    const said = `${finished} of ${planned} planned runs are finished.`;
    const words = shown.querySelector("span");
    if (words.textContent !== said) words.textContent = `${said} Reload the page to see the new ones.`;
  } catch {
    shown.querySelector("span").textContent = "The server does not answer.";
  }
}

setInterval(update, 2000);
