// The rating screen. It never waits for the server: what the rater does shows at once, goes into the
// outbox, and leaves it when the server says that it is stored.
const DRAFT_MS = 800;
const TICK_MS = 500;
const LOOK_AGAIN_MS = 15_000;
const ANSWER_MS = 60_000; // between looks for an answer of the study team
const OTHER_TAB_MS = 2000; // between looks for what another tab rated to be stored
const RELOAD_MS = 60_000;
const RATERS = new WeakMap();

class Rater {
  constructor(root, data) {
    this.root = root;
    this.setup = setupOf(data);
    speak(data.words);
    mark(root, "lang", SPOKEN.language);
    mark(root, "dir", SPOKEN.direction);
    this.outbox = new Outbox(data.who);
    this.post = new Post(
      (next) => this.answered(next),
      () => this.refused(),
    );
    this.refusals = 0;
    this.heard = new Set();
    this.options = data.form;
    this.desk = new Desk(formOf(data), data.questions);
    const open = new Set(data.queue.map((item) => item.id));
    this.desk.history = data.history
      .filter((item) => !open.has(item.id))
      .map((item) => ({ item, kind: "rate", said: item }));
    this.evidence = new Evidence(this, data);
    this.feedback = new Feedback(this);
    this.wayOut = new WayOut(this);
    this.messages = new Messages(this);
    this.lease = new Lease(this);
    this.view = new View(this, data);
    this.lookedAt = this.renewedAt = Date.now();
    this.actedAt = Date.now();
    this.acted = false;
    this.listen();
  }

  // Phones, upright tablets and half a window: one criterion at a time, in a sheet below the text or beside it.
  inSheet() {
    return matchMedia("(max-width: 800px), (max-height: 480px)").matches;
  }

  // Two texts stand below one another.
  onPhone() {
    return matchMedia("(max-width: 640px), (max-height: 480px)").matches;
  }

  // A phone on its side, or 400 % zoom: what is above the text would leave no room for it.
  isLow() {
    return matchMedia("(max-height: 480px)").matches;
  }

  // The sheet stands at the end of the text and goes with it.
  sheetScrolls() {
    return this.isLow() && matchMedia("(max-width: 559px)").matches;
  }

  byFinger() {
    return matchMedia("(hover: none)").matches;
  }

  listen() {
    this.leaving = new AbortController();
    const { signal } = this.leaving;
    addEventListener("keydown", (event) => onKey(this, event), { capture: true, signal });
    for (const event of ["keydown", "pointerdown", "wheel", "touchmove"]) {
      addEventListener(event, () => this.noticeActivity(), { capture: true, passive: true, signal });
    }
    addEventListener("beforeunload", (event) => this.outbox.waiting.length && event.preventDefault(), { signal });
    addEventListener("storage", (event) => this.hear(event), { signal });
    addEventListener("online", () => this.outbox.online(), { signal });
    addEventListener("pagehide", () => this.keepDraft(), { signal });
    const resized = () => {
      // Both sides are in sight from here on: what was scrolled while there was a sheet is seen again.
      if (!this.inSheet()) scrollerOf(this.root).scrollTop = 0;
      this.fit();
      this.view.reading.sides.fit();
      this.view.draw(this.desk); // the button has other words in a sheet
      const writes = FIELD.test(this.root.getRootNode().activeElement?.tagName); // the keyboard of a phone came up
      if (this.isLow() && !writes) this.view.fillWindow();
    };
    addEventListener("resize", resized, { signal });
    this.measuring = new ResizeObserver(() => this.fit()); // the sheet of a phone changes its height
    this.measuring.observe(this.view.scoring.root);
    this.measuring.observe(this.view.scoring.foot);
    this.measuring.observe(this.view.head); // its line breaks where it has no room
    document.fonts.ready.then(() => this.view.scoring.keepWordsWhole({ again: true }));
    this.timer = setInterval(() => this.tick(), TICK_MS);
  }

  stop() {
    this.keepDraft();
    this.leaving.abort();
    this.measuring.disconnect();
    clearInterval(this.timer);
  }

  // What was scored in the last moment before the page goes; the next visit sends it.
  keepDraft() {
    if (this.draftTimer && this.desk.item) this.outbox.put("draft", this.desk.item.id, this.desk.said());
    this.forgetDraft();
  }

  forgetDraft() {
    clearTimeout(this.draftTimer);
    this.draftTimer = null;
  }

  // New data from the server: acknowledgements, the queue, how far we are.
  update(data, lookAgain) {
    this.lookAgain = lookAgain;
    this.outbox.transmit = (current) => this.post.send(this.data.address, this.data.pass, current);
    this.take(data);
  }

  // An answer to what was sent. When the project was changed meanwhile, the page itself has to look again.
  answered(data) {
    this.refusals = 0;
    if (setupOf(data) !== this.setup) return this.lookAgain();
    const { history, words, pass, image_pass, questions_pass } = this.data;
    this.take({ ...data, history, words, pass, image_pass, questions_pass });
  }

  // The sign-in has ended, or the server does not know it any more: the page looks who is here. Where that
  // changes nothing it is loaded anew, once; what was done lies in the browser until it is stored.
  refused() {
    this.refusals += 1;
    if (this.refusals === 1) return this.lookAgain();
    if (this.refusals === 2 && firstReload(this.data.who)) {
      this.stop();
      location.reload();
    }
  }

  take(data) {
    this.data = data;
    IMAGES.pass = data.image_pass;
    for (const item of data.queue) fetchImages(Object.values(item.rendered));
    this.outbox.acknowledge(data.stored);
    this.wayOut.update(data);
    const ended = this.wayOut.over && this.desk.item !== undefined;
    if (ended) this.desk.empty();
    const changed = this.desk.refill(data.queue, this.outbox);
    if (changed || ended) this.showItem({ steal: false });
    this.lease.update(data);
    this.messages.update(data);
    this.feedback.update(data.feedback, this.outbox);
    this.drawStatus();
  }

  tick() {
    const now = Date.now();
    this.outbox.retry();
    this.drawStatus();
    this.lease.tick();
    this.view.drawWait(this.desk);
    if (this.isLow() && !this.acted) this.view.fillWindow({ exactly: true }); // the page above is still being drawn
    if (this.lease.paused) return;
    const { renew_ms: every, progress } = this.data;
    // A page that nobody touches lets its answers go to others when the lease ends.
    const inUse = document.visibilityState === "visible" && this.actedAt > this.renewedAt;
    if (now - this.renewedAt > every && inUse) this.renew();
    const waits = !this.desk.item && progress.waiting > 0;
    const lookAfter = this.aheadOfServer ? OTHER_TAB_MS : waits ? LOOK_AGAIN_MS : ANSWER_MS;
    const here = !this.desk.item || this.actedAt > this.renewedAt; // looking extends the lease
    const asked = document.visibilityState === "visible" && here && this.messages.unanswered;
    if ((waits || this.aheadOfServer || asked) && now - this.lookedAt > lookAfter) this.renew();
  }

  // Another tab rated all that the server still hands out here; it has not stored that yet.
  get aheadOfServer() {
    return !this.desk.item && this.data.queue.some((item) => this.desk.elsewhere.has(item.id));
  }

  renew() {
    this.renewedAt = this.lookedAt = Date.now();
    this.outbox.push("renew", 0);
  }

  // Of two tabs the later score counts, so neither asks for what the other one has.
  hear(event) {
    // What waits to be stored is written again with everything that comes after it: once heard is enough.
    const fresh = this.outbox.ofAnotherTab(event).filter((op) => !this.heard.has(op.uid));
    for (const op of fresh) this.heard.add(op.uid);
    for (const op of fresh) if (op.kind === "undo") this.desk.elsewhere.delete(op.item);
    const ids = new Set(fresh.filter((op) => op.kind === "rate").map((op) => op.item));
    const inHand = this.desk.item;
    if (!inHand || !ids.size) return;
    const before = this.desk.queue.length;
    const gone = this.desk.ratedElsewhere(ids);
    if (ids.has(inHand.id)) this.view.drawElsewhere(phrase(gone ? "rated_elsewhere" : "rated_elsewhere_too"));
    if (gone) this.showItem({ steal: false });
    if (this.desk.queue.length < Math.min(2, before)) this.renew();
    this.drawStatus();
  }

  noticeActivity() {
    this.actedAt = Date.now();
    this.acted = true;
    this.lease.noticeActivity();
    if (!this.lease.paused) this.desk.active();
  }

  // What the rater does ---------------------------------------------------------------------------

  choose(pos, index, { advance = false } = {}) {
    if (pos !== this.desk.pos) this.desk.move(pos);
    this.desk.score(this.desk.row.points[index].value);
    if (advance && this.desk.row.widget !== "set") this.desk.advance();
    this.changed();
    this.view.focus();
  }

  pass() {
    if (!this.desk.row.may_pass) return;
    this.desk.pass();
    if (this.desk.given[this.desk.row.id] === null) this.desk.advance();
    this.view.letGo();
    this.changed();
    this.view.focus();
  }

  number(pos, text, { write = false } = {}) {
    if (pos !== this.desk.pos) this.desk.move(pos);
    const { id, low, high, step } = this.desk.row;
    const value = text === "" ? NaN : Number(text);
    const steps = step ? (value - low) / step : 0;
    const fits = value >= low && value <= high && Math.abs(steps - Math.round(steps)) < 1e-9;
    if (fits) this.desk.given[id] = value;
    else delete this.desk.given[id];
    if (write) this.view.scoring.rows[pos].number.field.value = text;
    this.changed();
  }

  confirmNumber() {
    if (this.desk.missing.length && this.desk.given[this.desk.row.id] !== undefined) {
      this.desk.advance();
      this.view.draw(this.desk);
      this.view.focus();
    } else this.submit();
  }

  comment(text) {
    this.desk.touched = true;
    this.desk.notes[this.desk.row.key] = text;
    this.view.draw(this.desk);
    this.draftSoon();
  }

  answer(key, value) {
    this.desk.touched = true;
    this.desk.answers[key] = value;
    this.view.draw(this.desk);
    this.draftSoon();
  }

  toQuestions() {
    const [first] = [...this.desk.unanswered, ...this.desk.askedQuestions];
    if (first) this.view.scoring.questions.focus(first.key);
  }

  move(by) {
    this.moveTo(this.desk.pos + by);
  }

  moveTo(pos, { focus = true } = {}) {
    if (!this.desk.item || pos === this.desk.pos) return;
    this.desk.move(pos);
    this.view.draw(this.desk);
    if (focus) this.view.focus();
  }

  step(by) {
    if (!this.desk.step(by)) return;
    this.changed();
    this.view.focus();
  }

  toggle(name) {
    const fold = this.view.reading.folds[name];
    if (!fold.root.hidden) fold.toggle();
  }

  toggleDifferences() {
    const { reading } = this.view;
    reading.differences.toggle();
    reading.drawAnswers(reading.item.answers);
  }

  toggleTyped() {
    const { reading } = this.view;
    if (!reading.asTyped.button.hidden) reading.toggleTyped();
  }

  submit() {
    const { missing, unexplained, waitMs } = this.desk;
    if (this.evidence.chooser.pending) return this.evidence.chooser.remind();
    if (waitMs) return this.view.say(phrase("announce_wait", { clock: countdown(waitMs) }));
    if (missing.length) return this.complain(missing);
    if (unexplained.length) return this.askForComment(unexplained);
    if (this.desk.unanswered.length) return this.complainOfAnswers(this.desk.unanswered);
    this.leave("rate");
  }

  submitOrNext() {
    if (this.evidence.chooser.pending) return this.evidence.chooser.remind();
    const left = this.desk.missing.filter((row) => row !== this.desk.row);
    if (this.inSheet() && left.length) this.moveTo(this.desk.rows.indexOf(left[0]));
    else this.submit();
  }

  complain(missing, said = "announce_missing") {
    this.desk.complained = true;
    this.desk.move(this.desk.rows.indexOf(missing[0]));
    this.view.draw(this.desk);
    this.view.focus();
    const labels = missing.map((row) => row.label).join(", ");
    this.view.say(phrase(said, { labels }));
  }

  askForComment(rows) {
    this.complain(rows, "announce_comment_missing");
    this.view.focusComment();
  }

  complainOfAnswers(unanswered) {
    this.desk.complained = true;
    this.view.draw(this.desk);
    this.view.scoring.questions.focus(unanswered[0].key);
    this.view.say(phrase("announce_missing", { labels: unanswered.map(({ text }) => text).join(", ") }));
  }

  skip() {
    if (this.options.skip) this.leave("skip");
  }

  leave(kind) {
    if (!this.desk.item) return;
    this.forgetDraft();
    const { id, again, practice } = this.desk.item;
    const values = this.desk.leave(kind);
    this.view.drawElsewhere("");
    if (practice && kind === "rate") this.desk.history.pop(); // it was told: no going back
    this.showItem({ steal: true });
    this.outbox.push(kind, id, { ...values, again });
    if (practice && kind === "rate") this.feedback.expect(id);
    this.drawStatus();
  }

  // What was skipped twice comes back on request only.
  lookAgainAtSkipped() {
    if (this.desk.item || this.outbox.changesWork || !this.data.offer) return;
    this.outbox.push("offer", 0);
    this.drawStatus();
  }

  undo() {
    const item = this.desk.undo();
    if (item === null) return;
    this.showItem({ steal: true });
    this.outbox.push("undo", item);
    this.drawStatus();
  }

  flag(reason) {
    this.desk.item.flag = reason;
    this.view.reading.notices(this.desk.item);
    this.outbox.push("flag", this.desk.item.id, { reason });
    this.view.focus();
  }

  // Showing ---------------------------------------------------------------------------------------

  changed() {
    this.desk.touched = true;
    this.view.draw(this.desk);
    this.draftSoon();
  }

  draftSoon() {
    clearTimeout(this.draftTimer);
    const { item, queue } = this.desk;
    // A first look is given one unit. The first sign of work, sent at once, brings those that come next.
    const alone = queue.length === 1 && item.id !== this.askedFor;
    this.askedFor = item?.id;
    this.draftTimer = setTimeout(
      () => {
        this.draftTimer = null;
        if (this.desk.item) this.outbox.push("draft", this.desk.item.id, this.desk.said());
      },
      alone ? 0 : DRAFT_MS,
    );
  }

  showItem({ steal }) {
    this.view.showItem(this.desk.item);
    this.view.draw(this.desk);
    if (!this.desk.item) return;
    if (steal) this.view.say(phrase("announce_next"));
    const free = !document.activeElement || document.activeElement === document.body;
    if (steal || free) this.view.focus({ scroll: !this.isLow() });
    if (steal) this.view.toBeginning();
    if (this.isLow()) this.view.fillWindow();
  }

  drawStatus() {
    const { progress, saved_at: savedAt, refusal, nothing, offer } = this.data;
    this.view.drawProgress(progress, this.outbox);
    this.view.drawPractice(this.data.practice);
    this.view.drawSaved(this.outbox, savedAt, refusal);
    this.messages.draw();
    if (this.desk.item) return;
    const loads = this.outbox.changesWork || this.aheadOfServer;
    this.view.showNothing(loads ? [phrase("loading")] : nothing, loads ? "" : offer);
  }

  // On a wide screen both sides scroll by themselves, so they end where the window ends.
  fit() {
    this.view.scoring.placeButtons();
    this.view.scoring.keepWordsWhole();
    const top = this.view.board.getBoundingClientRect().top;
    const { root, foot, buttons } = this.view.scoring;
    this.root.style.setProperty("--top", `${Math.max(0, Math.round(top))}px`);
    this.root.style.setProperty("--sheet", `${root.offsetHeight}px`);
    this.root.style.setProperty("--foot", `${(this.isLow() ? buttons : foot).offsetHeight}px`);
  }
}

// Whether the page has not been loaded anew for this lately: a refusal that stays must not load it for ever.
function firstReload(who) {
  const key = `judgelab.reloaded.${who}`;
  try {
    const last = Number(sessionStorage.getItem(key) ?? 0);
    sessionStorage.setItem(key, String(Date.now()));
    return Date.now() - last > RELOAD_MS;
  } catch {
    return false;
  }
}

// What the screen is built from: when a criterion, the guideline or the language changes, it is built again.
function setupOf(data) {
  return JSON.stringify([data.who, data.project, data.criteria, data.form, data.questions, data.address.language]);
}

export default function ({ parentElement, data, setStateValue }) {
  const root = parentElement.querySelector(".rater");
  let rater = RATERS.get(root);
  if (rater && rater.setup !== setupOf(data)) {
    rater.stop();
    rater = null;
  }
  if (!rater) {
    rater = new Rater(root, data);
    RATERS.set(root, rater);
  }
  rater.update(data, () => setStateValue("look", newUid()));
  return () => {
    RATERS.get(root)?.stop();
    RATERS.delete(root);
  };
}
