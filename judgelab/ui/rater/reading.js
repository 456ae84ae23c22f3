// The left side: the question, the answer or answers, and what stands behind them.
const LONG_CHARS = 700;
const LONG_LINES = 8;
const BEGINNING_CHARS = 2400; // fills the folded height at any width; laying out more would cost time for nothing

const HEADINGS = {
  qa: { question: "question", answer: "answer_to_rate", context: "context", references: "references" },
  summarisation: { question: "task", answer: "summary_to_rate", context: "source", references: "reference_summaries" },
};

class Reading {
  constructor(rater, { project, form }) {
    this.rater = rater;
    this.form = form;
    this.task = HEADINGS[project.task] ? project.task : "qa";
    const words = Object.fromEntries(Object.entries(HEADINGS[this.task]).map(([name, of]) => [name, phrase(of)]));
    this.notice = el("p", { class: "notice", hidden: true });
    this.questionHead = el("p", { class: "caption", text: words.question });
    this.question = el("h3", { class: "question", dir: "auto" });
    this.label = el("p", { class: "label", text: words.answer });
    this.answer = el("div", { class: "answer", dir: "auto", "data-testid": "answer" });
    this.answers = el("div", { class: `answers ${form.name}`, "data-testid": "answers", hidden: true });
    this.asTyped = new AsTyped(() => rater.toggleTyped());
    this.differences = new Differences(() => rater.toggleDifferences());
    this.sides = new Sides(rater, this.task, this.answers);
    this.differences.button.after(this.sides.button);
    this.folds = {
      references: new Fold(rater, "references", words.references, "R"),
      context: new Fold(rater, "context", words.context, "C"),
      guidelines: new Fold(rater, "guidelines", phrase("guidelines"), "G"),
    };
    const folds = Object.values(this.folds).map((fold) => fold.root);
    // The source of a summary is read before the summary is judged, so it is never folded away at first.
    const open = !rater.onPhone() || this.task === "summarisation";
    this.folds.context.open = open;
    this.folds.references.open = !rater.onPhone();
    this.folds.guidelines.show(project.guidelines ? [project.guidelines] : [], phrase("version", { n: project.version }), [project.guidelines_tree]);
    this.root = el(
      "section",
      { class: `reading ${this.task}`, tabindex: "0", "aria-label": `${words.question}, ${words.answer}` },
      this.notice,
      this.questionHead,
      this.question,
      el("div", { class: "label-row" }, this.label, this.asTyped.button),
      this.answer,
      this.differences.root,
      this.sides.switch,
      this.answers,
      ...folds,
    );
  }

  show(item) {
    this.item = item;
    this.rendered = this.asTyped.of(item);
    this.words = this.form.highlight ? wordsOf(item.question) : new Set();
    drawText(this.question, item.question, [], this.rendered.question);
    this.question.hidden = this.questionHead.hidden = !item.question;
    const several = item.answers.length > 0;
    this.answer.hidden = this.label.hidden = several;
    this.answers.hidden = !several;
    drawText(this.answer, item.answer, askedIn(item.answer, this.words), this.rendered.answer);
    const [, next] = this.rater.desk.queue;
    if (next && !next.answers.length) this.prepare(next);
    const pairs = [item, ...(next ? [next] : [])].map((one) => one.answers).filter((texts) => texts.length === 2);
    if (comparesTwo(this.form)) this.differences.prepare(...pairs);
    this.showAnswers(item.answers);
    this.folds.references.show(item.references, String(item.references.length), this.rendered.references);
    const context = item.context ? [item.context] : [];
    this.folds.context.words = this.words;
    const words = context.length ? countedPhrase("words", item.context.split(/\s+/).length) : "";
    this.folds.context.show(context, words, [this.rendered.context]);
    this.root.scrollTop = 0;
    this.notices(item);
    this.sides.show(item.answers.length);
  }

  prepare({ question, answer, rendered }) {
    const words = this.form.highlight ? wordsOf(question) : new Set();
    const idle = window.requestIdleCallback ?? setTimeout; // Safari has none
    idle(() => prepareText(answer, askedIn(answer, words), rendered?.answer));
  }

  // The same item, formatted or as typed; folds stay as they are.
  toggleTyped() {
    this.asTyped.toggle();
    this.rendered = this.asTyped.of(this.item);
    drawText(this.question, this.item.question, [], this.rendered.question);
    this.folds.references.drawWith(this.rendered.references);
    this.folds.context.drawWith([this.rendered.context]);
    if (this.item.answers.length) this.drawAnswers(this.item.answers);
    else this.drawMarks();
  }

  // Side by side or below one another, each under its letter; the blocks stay from unit to unit.
  showAnswers(texts) {
    while (this.answers.children.length < texts.length) {
      const at = this.answers.children.length;
      const name = el("h4", { class: "label", id: `answer-${at}`, text: calledBy(this.task, at) });
      const text = el("div", { class: "answer", dir: "auto", "data-testid": `answer-${at}` });
      this.answers.append(el("article", { "aria-labelledby": `answer-${at}`, id: `text-${at}` }, name, text));
    }
    [...this.answers.children].forEach((block, at) => (block.hidden = at >= texts.length));
    this.drawAnswers(texts);
  }

  drawAnswers(texts) {
    const marks = comparesTwo(this.form) ? this.differences.marksIn(texts) : texts.map(() => []);
    texts.forEach((text, at) => {
      const shown = [...askedIn(text, this.words), ...marks[at]];
      drawText(this.answers.children[at].lastChild, text, shown, this.rendered.answers?.[at]);
    });
  }

  // The answer that the row in hand is about, brought into view when another one comes into hand.
  pointAt(at) {
    if (this.pointed === at) return;
    const begins = this.pointed === null; // a unit is read from its beginning
    this.pointed = at;
    [...this.answers.children].forEach((block, place) => block.classList.toggle("current", place === at));
    if (at === undefined || begins || this.rater.sheetScrolls()) return;
    this.answers.children[at]?.scrollIntoView({ block: "nearest" });
  }

  // The texts in which evidence can be marked.
  parts() {
    return { response: this.item?.answer ?? "", context: this.item?.context ?? "" };
  }

  trees() {
    return { response: this.rendered?.answer, context: this.rendered?.context };
  }

  nodes() {
    return { response: this.answer, context: this.folds.context.body.firstElementChild };
  }

  drawMarks() {
    const { evidence, desk } = this.rater;
    const { span } = evidence.chooser;
    const marks = (part, text) => {
      const spans = (desk.evidence[desk.row.key] ?? []).filter((span) => span.part === part);
      const others = Object.entries(desk.evidence).filter(([key]) => key !== desk.row.key);
      const elsewhere = others.flatMap(([, found]) => found).filter((span) => span.part === part);
      const cursor = evidence.cursor?.part === part ? [{ ...evidence.cursor, name: "cursor" }] : [];
      const looks = spans.filter(evidence.look, evidence).flatMap((span) => placed(text, [span], evidence.look(span)));
      const asked = span?.part === part ? placed(text, [span], "cursor") : [];
      return [...placed(text, elsewhere, "elsewhere"), ...placed(text, spans, "quoted"), ...looks, ...asked, ...cursor];
    };
    const { response, context } = this.parts();
    const shown = [...askedIn(response, this.words), ...marks("response", response)];
    drawText(this.answer, response, shown, this.rendered.answer);
    this.folds.context.marks = marks("context", context);
    if (context) this.folds.context.draw();
  }

  // What the rater selected in the answer or in the text behind it.
  selected() {
    const range = selectedRange(this.root.getRootNode());
    if (!range || range.collapsed) return null;
    for (const [part, node] of Object.entries(this.nodes())) {
      if (!node?.contains(range.startContainer) || !node.contains(range.endContainer)) continue;
      const found = node.classList.contains("rendered")
        ? placesIn(node, range)
        : [offsetIn(node, range.startContainer, range.startOffset), offsetIn(node, range.endContainer, range.endOffset)];
      if (!found) continue;
      const [[from, to], text] = [found, this.parts()[part]];
      const said = text.slice(from, to);
      const [start, end] = [from + said.length - said.trimStart().length, to - said.length + said.trimEnd().length];
      if (end > start) return { part, start: charactersBefore(text, start), end: charactersBefore(text, end) };
    }
    return null;
  }

  unselect() {
    const root = this.root.getRootNode();
    (root.getSelection?.() ?? document.getSelection())?.removeAllRanges();
  }

  notices(item) {
    const said = [item.again && phrase("again"), item.flag && phrase("flagged", { why: item.flag })].filter(Boolean);
    put(this.notice, said.join(" "));
    this.notice.hidden = !said.length;
  }
}

// Browsers differ in how they tell of a selection inside a component.
function selectedRange(root) {
  const selection = root.getSelection?.() ?? document.getSelection();
  const [found] = selection?.getComposedRanges?.({ shadowRoots: [root] }) ?? [];
  if (found && root.contains(found.startContainer)) return found;
  return selection?.rangeCount ? selection.getRangeAt(0) : null;
}

function offsetIn(node, container, offset) {
  const range = document.createRange();
  range.selectNodeContents(node);
  range.setEnd(container, offset);
  return range.toString().length;
}

// Where a block of a rendered text begins in it.
function beginOf(block) {
  if (Array.isArray(block)) return block[0];
  return block.place?.[0] ?? (block.children?.length ? beginOf(block.children[0]) : 0);
}

// A heading that opens and closes what is under it; long texts show their beginning first.
class Fold {
  constructor(rater, name, title, key) {
    this.open = false;
    this.whole = false;
    this.words = new Set();
    this.marks = [];
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

  show(texts, detail, trees = []) {
    this.trees = trees;
    this.root.hidden = !texts.length;
    if (!texts.length) return;
    put(this.detail, detail);
    this.texts = texts;
    const lines = texts.reduce((sum, text) => sum + text.split("\n").length, 0);
    this.long = lines > LONG_LINES || texts.join("").length > LONG_CHARS;
    this.whole = false;
    this.marks = [];
    this.draw();
  }

  drawWith(trees = []) {
    this.trees = trees;
    if (!this.root.hidden) this.draw();
  }

  // Open and whole: a mark may stand anywhere in it.
  unfold() {
    if (this.open && (this.whole || !this.long)) return;
    this.open = this.whole = true;
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
    const scrolled = this.body.scrollTop;
    this.body.replaceChildren(...shown.map((text, at) => this.paragraph(text, this.trees[at], beginning)));
    mark(this.head, "aria-expanded", String(this.open));
    this.body.hidden = !this.open;
    this.more.hidden = !this.open || !this.long;
    this.body.className = `fold-body${this.long ? (this.whole ? " whole" : " beginning") : ""}`;
    // A region with its own scroll must be reachable by keyboard.
    mark(this.body, "tabindex", this.long && this.whole ? "0" : null);
    put(this.more, this.whole ? phrase("less") : phrase("more"));
    this.body.scrollTop = scrolled;
  }

  paragraph(text, tree, beginning) {
    const paragraph = el(tree ? "div" : "p", { dir: "auto" });
    const cut = tree && beginning ? tree.filter((block) => beginOf(block) < BEGINNING_CHARS) : tree;
    drawText(paragraph, text, [...askedIn(text, this.words), ...this.marks], cut);
    return paragraph;
  }
}
