// How two texts are read: side by side, scrolled together or each by itself; on a phone one at a time, in the
// same place, where both are longer than half the window.
const APART_KEPT = "judgelab.apart";
const SCROLLS = /auto|scroll/;

class Sides {
  constructor(rater, task, answers) {
    this.rater = rater;
    this.answers = answers;
    this.apart = keptForSession(APART_KEPT) === "apart";
    this.at = 0;
    this.pair = false;
    this.button = button(phrase("scroll_apart"), "T", () => this.toggleApart());
    this.tabs = [0, 1].map((at) =>
      el("button", {
        type: "button",
        role: "tab",
        id: `side-${at}`,
        "aria-controls": `text-${at}`,
        text: calledBy(task, at),
        on: { click: () => this.turn(at) },
      }),
    );
    this.switch = el("div", { class: "sides", role: "tablist", "aria-label": phrase("text_shown"), hidden: true }, ...this.tabs);
  }

  get blocks() {
    return [...this.answers.children].slice(0, 2);
  }

  // A new pair: its first text.
  show(count) {
    this.at = 0;
    this.pair = count === 2 && comparesTwo(this.rater.options);
    this.fit();
    for (const block of this.blocks) block.lastChild.scrollTop = 0;
  }

  // What fits into the window needs neither; both are measured as they are without.
  fit() {
    const blocks = this.pair ? this.blocks : [];
    for (const block of blocks) block.hidden = false;
    this.answers.classList.remove("one", "apart");
    const phone = this.rater.onPhone();
    const height = document.documentElement.clientHeight; // stays as it is when the browser's bars come and go
    this.oneByOne = this.pair && phone && this.answers.offsetHeight > height / 2;
    const pane = this.answers.parentElement.clientHeight;
    this.long = this.pair && !phone && blocks.some((block) => block.offsetHeight > pane);
    this.draw();
  }

  draw() {
    const blocks = this.pair ? this.blocks : [];
    const apart = this.long && this.apart;
    this.button.hidden = !this.long;
    mark(this.button, "aria-pressed", String(this.apart));
    put(this.button.querySelector("span"), phrase(this.apart ? "scroll_together" : "scroll_apart"));
    this.switch.hidden = !this.oneByOne;
    this.answers.classList.toggle("apart", apart);
    this.answers.classList.toggle("one", this.oneByOne);
    this.tabs.forEach((tab, at) => {
      mark(tab, "aria-selected", String(at === this.at));
      mark(tab, "tabindex", at === this.at ? "0" : "-1");
    });
    blocks.forEach((block, at) => {
      block.hidden = this.oneByOne && at !== this.at;
      mark(block, "role", this.oneByOne && "tabpanel");
      // A region with its own scroll must be reachable by keyboard.
      mark(block.lastChild, "tabindex", apart && "0");
      mark(block.lastChild, "role", apart && "region");
      mark(block.lastChild, "aria-labelledby", apart && `answer-${at}`);
    });
  }

  // Either way the reader stays where they were: the texts go on from the line that was on top.
  toggleApart() {
    if (!this.long) return;
    const pane = this.answers.parentElement;
    const [first] = this.blocks;
    const read = this.apart ? first.lastChild.scrollTop : pane.getBoundingClientRect().top - first.lastChild.getBoundingClientRect().top;
    this.apart = !this.apart;
    keepForSession(APART_KEPT, this.apart ? "apart" : "");
    this.draw();
    if (read <= 0) return;
    if (this.apart) {
      pane.scrollTop += first.getBoundingClientRect().top - pane.getBoundingClientRect().top;
      for (const block of this.blocks) block.lastChild.scrollTop = read;
    } else pane.scrollTop += first.lastChild.getBoundingClientRect().top - pane.getBoundingClientRect().top + read;
  }

  // The other text, as far through it as the reader was in this one.
  turn(at = 1 - this.at) {
    if (!this.oneByOne || at === this.at) return;
    const line = this.switch.getBoundingClientRect().bottom;
    const before = this.blocks[this.at].getBoundingClientRect();
    const read = Math.max(0, (line - before.top) / before.height);
    const focused = this.tabs.includes(this.answers.getRootNode().activeElement);
    this.at = at;
    this.draw();
    if (focused) this.tabs[at].focus({ preventScroll: true });
    if (!read) return;
    const now = this.blocks[at].getBoundingClientRect();
    scrollerOf(this.answers)?.scrollBy(0, now.top + read * now.height - line);
  }
}

// What scrolls the page; the component may lie in a shadow tree.
function scrollerOf(node) {
  for (let above = node.parentElement; above; above = above.parentElement ?? above.getRootNode().host) {
    if (above.scrollHeight > above.clientHeight && SCROLLS.test(getComputedStyle(above).overflowY)) return above;
  }
  return document.scrollingElement;
}
