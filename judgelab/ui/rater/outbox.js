// What the rater did waits here until the server says that it is stored.
const RETRY_MS = 2000;
const SLOWEST_RETRY_MS = 16_000; // a slow server would be interrupted at its work by hasty repetition
const LATE_MS = 5000;
const AFTER_PAINT_MS = 20; // sending costs the browser more than showing the next answer: it comes second
const LASTING = new Set(["rate", "skip", "flag", "undo", "ask"]);
const BESIDE = new Set(["flag", "ask", "read"]); // say nothing of the choices, and leave the item where it is

function newUid() {
  if (crypto.randomUUID) return crypto.randomUUID(); // only on https and localhost
  const bytes = crypto.getRandomValues(new Uint8Array(16));
  return [...bytes].map((b) => b.toString(16).padStart(2, "0")).join("");
}

class Outbox {
  // Whether something waits after which the server may hand out other work.
  get changesWork() {
    return this.ops.some((op) => !BESIDE.has(op.kind));
  }

  constructor(who) {
    this.shared = `judgelab.outbox.${who}`;
    this.key = `${this.shared}/${newUid()}`; // of this tab alone: another one must not write over it
    this.sentAt = 0;
    this.wait = RETRY_MS;
    this.transmit = () => {};
    // A page that was closed while the server was away left its work here; uids make a second arrival harmless.
    this.ops = this.#takenOver().map((op) => ({ ...op, at: Date.now() }));
  }

  push(kind, item, values = {}) {
    this.put(kind, item, values);
    clearTimeout(this.soon);
    this.soon = setTimeout(() => this.send(), AFTER_PAINT_MS);
  }

  put(kind, item, values) {
    // A newer draft takes the place of an older one, and a rating that of its draft.
    if (!BESIDE.has(kind)) this.ops = this.ops.filter((op) => !(op.kind === "draft" && op.item === item));
    this.ops.push({ uid: newUid(), kind, item, at: Date.now(), ...values });
    this.#keep();
  }

  draftOf(item) {
    return this.ops.find((op) => op.kind === "draft" && op.item === item);
  }

  send() {
    if (!this.ops.length) return;
    this.sentAt = Date.now();
    // What waits is asked for when it is sent: by then more may have come.
    this.transmit(() => this.ops.map(({ at, ...op }) => op));
  }

  acknowledge(uids) {
    this.wait = RETRY_MS; // the server answers
    const stored = new Set(uids);
    const before = this.ops.length;
    this.ops = this.ops.filter((op) => !stored.has(op.uid));
    if (this.ops.length !== before) this.#keep();
  }

  retry() {
    if (!this.ops.length || Date.now() - this.sentAt < this.wait) return;
    this.wait = Math.min(2 * this.wait, SLOWEST_RETRY_MS);
    this.send();
  }

  // The network is back: nothing waits out the pause that grew while it was away.
  online() {
    this.wait = RETRY_MS;
    this.send();
  }

  get waiting() {
    return this.ops.filter((op) => LASTING.has(op.kind));
  }

  get late() {
    return this.waiting.some((op) => Date.now() - op.at > LATE_MS);
  }

  // Whether the item left the screen by an operation that the server has not confirmed yet.
  hasLeft(item) {
    const last = this.waiting.filter((op) => op.item === item && !BESIDE.has(op.kind)).at(-1);
    return last !== undefined && last.kind !== "undo";
  }

  // What another tab of this browser has just done: a tab hears when another one writes, and not of itself.
  ofAnotherTab({ key, newValue }) {
    if (!newValue || key === this.key || !key?.startsWith(`${this.shared}/`)) return [];
    return JSON.parse(newValue);
  }

  // What tabs left, or have not sent yet: those that are still open keep their own copy in memory.
  #takenOver() {
    try {
      const keys = Object.keys(localStorage).filter((key) => key === this.shared || key.startsWith(`${this.shared}/`));
      const found = keys.flatMap((key) => JSON.parse(localStorage.getItem(key)));
      const ops = [...new Map(found.map((op) => [op.uid, op])).values()].sort((a, b) => a.at - b.at);
      if (ops.length) localStorage.setItem(this.key, JSON.stringify(ops));
      for (const key of keys) localStorage.removeItem(key);
      return ops;
    } catch {
      return [];
    }
  }

  #keep() {
    try {
      if (this.ops.length) localStorage.setItem(this.key, JSON.stringify(this.ops));
      else localStorage.removeItem(this.key);
    } catch {
      // A browser without storage still rates; only a closed page would lose what is unsent.
    }
  }
}
