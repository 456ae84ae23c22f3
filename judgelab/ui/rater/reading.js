// The left side: the question, the answer to rate, and what stands behind it.
const LONG_CHARS = 700;
const LONG_LINES = 8;
const BEGINNING_CHARS = 2400; // fills the folded height at any width; laying out more would cost time for nothing

class Reading {
  constructor(rater, project) {
    this.rater = rater;
    this.task = WORDS.headings[project.task] ? project.task : "qa";
    const words = WORDS.headings[this.task];
    const references = this.task === "qa" ? WORDS.references : WORDS.referenceSummaries;
    this.notice = el("p", { class: "notice", hidden: true });
    this.questionHead = el("p", { class: "caption", text: words.question });
    this.question = el("h3", { class: "question", dir: "auto" });
    this.answer = el("div", { class: "answer", dir: "auto", "data-testid": "answer" });
    this.folds = {
      references: new Fold(rater, "references", references, "R"),
      context: new Fold(rater, "context", words.context, "C"),
      guidelines: new Fold(rater, "guidelines", WORDS.guidelines, "G"),
    };
    const folds = Object.values(this.folds).map((fold) => fold.root);
    // The source of a summary is read before the summary is judged, so it is never folded away at first.
    const open = !rater.onPhone() || this.task === "summarisation";
    this.folds.context.open = open;
    this.folds.references.open = !rater.onPhone();
    this.folds.guidelines.show(project.guidelines ? [project.guidelines] : [], WORDS.version(project.version));
    this.root = el(
      "section",
      { class: `reading ${this.task}`, tabindex: "0", "aria-label": `${words.question}, ${words.answer}` },
      this.notice,
      this.questionHead,
      this.question,
      el("p", { class: "label", text: words.answer }),
      this.answer,
      ...folds,
    );
  }

  show(item) {
    put(this.question, item.question);
    this.question.hidden = this.questionHead.hidden = !item.question;
    put(this.answer, item.answer);
    this.folds.references.show(item.references, String(item.references.length));
    const context = item.context ? [item.context] : [];
    this.folds.context.show(context, context.length ? WORDS.words(item.context.split(/\s+/).length) : "");
    this.root.scrollTop = 0;
    this.notices(item);
  }

  notices(item) {
    const said = [item.again && WORDS.again, item.flag && WORDS.flagged(item.flag)].filter(Boolean);
    put(this.notice, said.join(" "));
    this.notice.hidden = !said.length;
  }
}

// A heading that opens and closes what is under it; long texts show their beginning first.
class Fold {
  constructor(rater, name, title, key) {
    this.open = false;
    this.whole = false;
    this.detail = el("span", { class: "detail" });
    this.head = el(
      "button",
      { type: "button", class: "fold-head", on: { click: () => rater.toggle(name) } },
      icon("chevron"),
      el("span", { class: "fold-title", text: title }),
      this.detail,
      kbd(key),
    );
    this.body = el("div", { class: "fold-body" });
    this.more = el("button", { type: "button", class: "more", on: { click: () => this.toggleWhole() } });
    this.root = el("div", { class: "fold" }, this.head, this.body, this.more);
  }

  show(texts, detail) {
    this.root.hidden = !texts.length;
    if (!texts.length) return;
    put(this.detail, detail);
    this.texts = texts;
    const lines = texts.reduce((sum, text) => sum + text.split("\n").length, 0);
    this.long = lines > LONG_LINES || texts.join("").length > LONG_CHARS;
    this.whole = false;
    this.draw();
  }

  toggle() {
    this.open = !this.open;
    this.draw();
  }

  toggleWhole() {
    this.whole = !this.whole;
    this.draw();
  }

  draw() {
    const beginning = this.long && !this.whole;
    const shown = this.texts.map((text) => (beginning ? text.slice(0, BEGINNING_CHARS) : text));
    this.body.replaceChildren(...shown.map((text) => el("p", { dir: "auto", text })));
    mark(this.head, "aria-expanded", String(this.open));
    this.body.hidden = !this.open;
    this.more.hidden = !this.open || !this.long;
    this.body.className = `fold-body${this.long ? (this.whole ? " whole" : " beginning") : ""}`;
    // A region with its own scroll must be reachable by keyboard.
    mark(this.body, "tabindex", this.long && this.whole ? "0" : null);
    put(this.more, this.whole ? WORDS.less : WORDS.more);
  }
}
