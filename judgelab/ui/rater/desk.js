// What lies before the rater: the queue, the unit in hand, the choices so far. No elements here.
const HISTORY = 20;
const IDLE_MS = 60_000;

class Desk {
  constructor(form, questions) {
    this.form = form;
    this.questions = questions;
    this.queue = [];
    this.history = [];
    this.work = new Map(); // unfinished choices of units that are not in hand just now
    this.waited = new Map(); // how long units that are not in hand just now were, in milliseconds
    this.elsewhere = new Set(); // rated in another tab, which the server may not know yet
    this.clear();
  }

  get item() {
    return this.queue[0];
  }

  get row() {
    return this.rows[this.pos];
  }

  get missing() {
    return this.rows.filter((row) => this.given[row.id] === undefined);
  }

  get askedQuestions() {
    return askedOf(this.questions, this.given, this.answers);
  }

  // Questions that need an answer and have none.
  get unanswered() {
    return this.askedQuestions.filter(({ key, required }) => required && !isAnswered(this.answers[key]));
  }

  // Rows whose choice needs a comment that is not written yet, one of each criterion.
  get unexplained() {
    const open = this.rows.filter((row) => this.needsComment(row) && !(this.notes[row.key] ?? "").trim());
    return open.filter((row, at) => open.findIndex((one) => one.key === row.key) === at);
  }

  needsComment(row) {
    return this.form.needsComment(row, this.given[row.id]);
  }

  // How long the unit in hand must still be read before it can be submitted.
  get waitMs() {
    const least = 1000 * this.form.options.least_seconds;
    if (!least || !this.item || this.item.again) return 0;
    return Math.max(0, least - (this.waited.get(this.item.id) ?? 0) - (Date.now() - this.inHandSince));
  }

  // A pause is no time spent on the unit.
  paused(ms) {
    this.seenAt = Date.now();
    this.inHandSince += ms;
  }

  clear() {
    if (this.inHand !== undefined) {
      this.waited.set(this.inHand, (this.waited.get(this.inHand) ?? 0) + Date.now() - this.inHandSince);
    }
    this.inHand = this.item?.id;
    this.inHandSince = Date.now();
    this.rows = this.form.rows(this.item);
    this.given = {}; // by row; null says that it cannot be judged
    this.notes = {};
    this.answers = {}; // to the questions beside the criteria
    this.evidence = {};
    this.pos = 0;
    this.point = 0;
    this.complained = false;
    this.touched = false; // by the rater, since it came into hand here
    this.activeMs = 0;
    this.seenAt = Date.now();
  }

  // The server's queue behind the unit in hand, which never changes under the rater's eyes.
  refill(items, outbox) {
    const inHand = this.item;
    const keeps = inHand !== undefined && !outbox.hasLeft(inHand.id);
    const open = items.filter((item) => !outbox.hasLeft(item.id) && (item.again || !this.elsewhere.has(item.id)));
    const rest = open.filter((item) => !(keeps && item.id === inHand.id));
    this.queue = keeps ? [inHand, ...rest] : rest;
    if (!keeps && this.item) this.take(outbox.draftOf(this.item.id));
    return !keeps;
  }

  // What was rated in another tab goes; the unit in hand stays where something was entered here.
  ratedElsewhere(ids) {
    const inHand = this.item;
    for (const id of ids) this.elsewhere.add(id);
    this.queue = this.queue.filter((item) => !ids.has(item.id) || (item === inHand && (this.touched || item.again)));
    if (this.item === inHand) return false;
    this.take();
    return true;
  }

  // The work is over: what is in hand goes, too.
  empty() {
    this.queue = [];
    this.history = [];
    this.clear();
  }

  take(draft) {
    this.clear();
    if (!this.item) return;
    const known = draft ?? this.work.get(this.item.id) ?? this.item;
    this.given = this.form.read(known, this.item);
    this.notes = { ...known.comments };
    this.answers = fittingAnswers(this.questions, known.question_answers);
    this.evidence = { ...known.evidence };
    const first = this.rows.findIndex((row) => this.given[row.id] === undefined);
    this.move(this.item.again || first < 0 ? 0 : first);
  }

  move(pos) {
    this.pos = Math.max(0, Math.min(pos, this.rows.length - 1));
    this.point = Math.max(0, this.placeOf(this.given[this.row.id]));
  }

  placeOf(value, row = this.row) {
    return row.points.findIndex((point) => isChosen(row, point, value));
  }

  score(value) {
    this.form.set(this.given, this.row, this.errorScore(this.row) ?? value);
    this.point = Math.max(0, this.row.points.findIndex((point) => point.value === value));
  }

  // "Cannot judge" instead of a score, or the score taken back.
  pass() {
    if (this.given[this.row.id] === null) this.scoreErrors();
    else this.given[this.row.id] = null;
  }

  // Minus the weights of the marked errors, as the server adds them up; undefined without any.
  errorScore(row) {
    const errors = row.widget === "spans" ? (this.evidence[row.key] ?? []) : [];
    if (!errors.length) return undefined;
    const weights = errors.map(({ severity }) => row.severities.find(({ name }) => name === severity)?.weight ?? 0);
    return 0 - Math.min(row.most, weights.reduce((sum, weight) => sum + weight, 0));
  }

  // Without an error nothing is said yet: that there are none is a choice of its own.
  scoreErrors() {
    const score = this.errorScore(this.row);
    if (score === undefined) delete this.given[this.row.id];
    else this.given[this.row.id] = score;
  }

  // On to the next row; from the last one back to what was left out.
  advance() {
    const open = this.rows.findIndex((row) => this.given[row.id] === undefined);
    if (this.pos < this.rows.length - 1) this.move(this.pos + 1);
    else if (open >= 0) this.move(open);
  }

  step(by) {
    const points = this.row.points;
    if (!points.length || this.row.widget === "spans") return false;
    if (this.row.widget === "set") {
      this.point = Math.max(0, Math.min(this.point + by, points.length - 1));
      return true;
    }
    const given = this.placeOf(this.given[this.row.id]) >= 0;
    const from = given ? this.point : by > 0 ? -1 : points.length;
    this.score(points[Math.max(0, Math.min(from + by, points.length - 1))].value);
    return true;
  }

  // The unit in hand leaves; what is returned goes into the outbox.
  leave(kind) {
    const item = this.item;
    const said = this.said();
    const seconds = this.seconds();
    this.history = [...this.history, { item, kind, said }].slice(-HISTORY);
    this.work.delete(item.id);
    this.queue = this.queue.slice(1);
    this.take();
    return kind === "rate" ? { ...said, seconds } : { seconds };
  }

  // The last unit comes back in front, with its choices; the one in hand waits behind it.
  undo() {
    const last = this.history.pop();
    if (!last) return null;
    if (this.item) this.work.set(this.item.id, this.said());
    this.work.set(last.item.id, last.said);
    const again = last.item.again || last.kind === "rate";
    this.queue = [{ ...last.item, again }, ...this.queue.filter((i) => i.id !== last.item.id)];
    this.take();
    return last.item.id;
  }

  // What was said of the unit in hand, in the words of the server.
  said() {
    const filled = (texts) => Object.fromEntries(Object.entries(texts).filter(([, text]) => text.trim()));
    const marked = Object.fromEntries(Object.entries(this.evidence).filter(([, spans]) => spans.length));
    const asked = this.askedQuestions.map(({ key }) => [key, this.answers[key]]);
    const answered = Object.fromEntries(asked.filter(([, answer]) => isAnswered(answer)));
    return {
      form: this.form.options.name,
      ...this.form.say(this.given, this.item),
      comments: filled(this.notes),
      question_answers: this.questions.length ? answered : undefined,
      evidence: marked,
    };
  }

  // Time spent on the unit: long silences count as a pause, not as work.
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
