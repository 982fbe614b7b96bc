// The thread that Python runs in: one question at a time, the latest replaces those that wait, and a stopped one starts anew.

export class Python {
  constructor(told) {
    this.told = told;
    this.start();
  }

  start() {
    this.worker?.terminate();
    this.ready = false;
    this.running = null;
    this.waiting = new Map();
    this.worker = new Worker("worker.js", { type: "module" });
    this.worker.addEventListener("message", ({ data }) => this.hear(data));
    this.worker.addEventListener("error", () => this.told({ failed: "Python could not start. Reload the page, or look at the console." }));
    this.told({ starting: true });
  }

  /** Ask Python; a later question of the same kind takes the place of one that waits, whose promise gives null. */
  ask(request) {
    this.waiting.get(request.kind)?.give(null);
    return new Promise((give) => {
      this.waiting.set(request.kind, { request: JSON.stringify(request), give });
      this.next();
    });
  }

  next() {
    if (!this.ready || this.running || !this.waiting.size) return;
    const [kind, question] = this.waiting.entries().next().value;
    this.waiting.delete(kind);
    this.running = question;
    this.worker.postMessage({ id: kind, request: question.request });
    this.told({ busy: true });
  }

  hear(data) {
    if (data.ready) {
      this.ready = true;
      this.told({ idle: true });
    } else if (data.fatal) {
      const lost = this.running;
      if (!this.ready) return this.told({ failed: data.fatal });
      this.start();
      lost?.give({ error: { message: `Python stopped: ${data.fatal}`, hint: "Python starts again; ask something smaller.", caret: "" } });
      return;
    } else {
      const done = this.running;
      this.running = null;
      done?.give(JSON.parse(data.answer));
      this.told({ idle: true });
    }
    this.next();
  }

  /** Give up what runs, and start Python anew. */
  stop() {
    const lost = this.running;
    const waiting = this.waiting;
    this.start();
    this.waiting = waiting;
    lost?.give({ error: { message: "Stopped.", hint: "Python starts again; ask something smaller.", caret: "" } });
  }
}
