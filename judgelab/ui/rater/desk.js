// What lies before the rater: the queue, the answer in hand, its scores so far. No elements here.
const HISTORY = 20;
const IDLE_MS = 60_000;

class Desk {
  constructor(criteria) {
    this.criteria = criteria;
    this.queue = [];
    this.history = [];
    this.work = new Map(); // unfinished scores of answers that are not in hand just now
    this.clear();
  }

  get item() {
    return this.queue[0];
  }

  get criterion() {
    return this.criteria[this.pos];
  }

  get missing() {
    return this.criteria.filter((c) => this.scores[c.key] === undefined);
  }

  clear() {
    this.scores = {};
    this.notes = {};
    this.pos = 0;
    this.point = 0;
    this.complained = false;
    this.activeMs = 0;
    this.seenAt = Date.now();
  }

  // The server's queue behind the answer in hand, which never changes under the rater's eyes.
  refill(items, outbox) {
    const inHand = this.item;
    const keeps = inHand !== undefined && !outbox.hasLeft(inHand.id);
    const rest = items.filter((item) => !outbox.hasLeft(item.id) && !(keeps && item.id === inHand.id));
    this.queue = keeps ? [inHand, ...rest] : rest;
    if (!keeps && this.item) this.take(outbox.draftOf(this.item.id));
    return !keeps;
  }

  take(draft) {
    this.clear();
    if (!this.item) return;
    const known = draft ?? this.work.get(this.item.id) ?? this.item;
    this.scores = { ...known.scores };
    this.notes = { ...(known.comments ?? {}) };
    const first = this.criteria.findIndex((c) => this.scores[c.key] === undefined);
    this.move(this.item.again || first < 0 ? 0 : first);
  }

  move(pos) {
    this.pos = Math.max(0, Math.min(pos, this.criteria.length - 1));
    const at = this.criterion.points.findIndex((p) => p.value === this.scores[this.criterion.key]);
    this.point = Math.max(0, at);
  }

  score(value) {
    this.scores[this.criterion.key] = value;
    this.point = Math.max(0, this.criterion.points.findIndex((p) => p.value === value));
  }

  // On to the next criterion; from the last one back to what was left out.
  advance() {
    const open = this.criteria.findIndex((c) => this.scores[c.key] === undefined);
    if (this.pos < this.criteria.length - 1) this.move(this.pos + 1);
    else if (open >= 0) this.move(open);
  }

  step(by) {
    const points = this.criterion.points;
    if (!points.length) return false;
    const given = this.scores[this.criterion.key] !== undefined;
    const from = given ? this.point : by > 0 ? -1 : points.length;
    this.score(points[Math.max(0, Math.min(from + by, points.length - 1))].value);
    return true;
  }

  // The answer in hand leaves; what is returned goes into the outbox.
  leave(kind) {
    const item = this.item;
    const values = { ...this.values(), seconds: this.seconds() };
    this.history = [...this.history, { item, kind, ...values }].slice(-HISTORY);
    this.work.delete(item.id);
    this.queue = this.queue.slice(1);
    this.take();
    return kind === "rate" ? values : { seconds: values.seconds };
  }

  // The last answer comes back in front, with its scores; the one in hand waits behind it.
  undo() {
    const last = this.history.pop();
    if (!last) return null;
    if (this.item) this.work.set(this.item.id, this.values());
    this.work.set(last.item.id, { scores: last.scores, comments: last.comments });
    const again = last.item.again || last.kind === "rate";
    this.queue = [{ ...last.item, again }, ...this.queue.filter((i) => i.id !== last.item.id)];
    this.take();
    return last.item.id;
  }

  values() {
    const comments = Object.entries(this.notes).filter(([, text]) => text.trim());
    return { scores: { ...this.scores }, comments: Object.fromEntries(comments) };
  }

  // Time spent on the answer: long silences count as a pause, not as work.
  active() {
    const now = Date.now();
    this.activeMs += Math.min(now - this.seenAt, IDLE_MS);
    this.seenAt = now;
  }

  seconds() {
    this.active();
    return Math.round(this.activeMs / 100) / 10;
  }
}
