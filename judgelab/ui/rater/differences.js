// The words that only one of two texts has, found as *Explain* finds them (text_differences.py), so that raters
// and researchers see the same marks. Longer texts are compared by sentences: a key press must not wait.
const WORD_PART = /\s+|[\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\uff00-\uffef\u{20000}-\u{3ffff}]|[^\s\u2e80-\u312f\u31a0-\u9fff\uf900-\ufaff\uff00-\uffef\u{20000}-\u{3ffff}]+/gu;
const SENTENCE_PART = /\s+|[^\s][^.!?。！？؟\n]*[.!?。！？؟]*/gu;
const MOST_WORD_PARTS = 2400; // of both texts together, spaces included
const MOST_SENTENCES = 1200;
const DIFFERENCES_KEPT = "judgelab.differences";

// What differs in both texts as marks, with the number of parts marked; null if they are too long.
function differencesOf(first, second) {
  for (const [unit, part, most] of [["words", WORD_PART, MOST_WORD_PARTS], ["sentences", SENTENCE_PART, MOST_SENTENCES]]) {
    const [one, two] = [first, second].map((text) => text.match(part) ?? []);
    if (one.length + two.length > most) continue;
    const blocks = matchingBlocks(one, two);
    const side = (parts, at) => differing(parts, blocks.map((block) => [block[at], block[2]]));
    return { unit, sides: [side(one, 0), side(two, 1)] };
  }
  return null;
}

// The longest run of parts that both have, then the same to its left and to its right: [place, place, size].
// A space matches every other one, so its row is not gone through: it can only lengthen the run before it, begin
// the run after it, or be the first match of all.
function matchingBlocks(one, two) {
  const places = new Map();
  two.forEach((part, at) => (places.has(part) ? places.get(part).push(at) : places.set(part, [at])));
  const placesOf = one.map((part) => places.get(part) ?? []);
  const blank = one.map((part) => !part.trim());
  const blocks = [];
  const open = [[0, one.length, 0, two.length]];
  let [runs, before] = [new Int32Array(two.length + 1), new Int32Array(two.length + 1)]; // by the place after
  while (open.length) {
    const [from, to, low, high] = open.pop();
    let [best, start, other] = [0, from, low];
    let touched = [];
    const lengthen = (at, place, run) => {
      runs[place + 1] = run;
      if (run > best) [best, start, other] = [run, at - run + 1, place - run + 1];
    };
    for (let at = from; at < to; at++) {
      const found = placesOf[at];
      const row = [];
      const first = firstFrom(found, low);
      if (blank[at]) {
        if (!best && found[first] < high) [best, start, other] = [1, at, found[first]];
        for (const place of touched) {
          if (place + 1 >= high || two[place + 1] !== one[at]) continue;
          lengthen(at, place + 1, before[place + 1] + 1);
          row.push(place + 1);
        }
      } else {
        for (let index = first; index < found.length && found[index] < high; index++) {
          const place = found[index];
          const begun = at > from && place > low && blank[at - 1] && two[place - 1] === one[at - 1] ? 1 : 0;
          lengthen(at, place, (place > low && before[place] ? before[place] : begun) + 1);
          row.push(place);
        }
      }
      for (const place of touched) before[place + 1] = 0;
      [runs, before, touched] = [before, runs, row];
    }
    for (const place of touched) before[place + 1] = 0;
    if (!best) continue;
    blocks.push([start, other, best]);
    if (from < start && low < other) open.push([from, start, low, other]);
    if (start + best < to && other + best < high) open.push([start + best, to, other + best, high]);
  }
  return blocks.sort((a, b) => a[0] - b[0]);
}

function firstFrom(sorted, low) {
  let [from, to] = [0, sorted.length];
  while (from < to) {
    const middle = (from + to) >> 1;
    if (sorted[middle] < low) from = middle + 1;
    else to = middle;
  }
  return from;
}

function differing(parts, equal) {
  const marks = [];
  let [place, index, count] = [0, 0, 0];
  for (const [start, size] of [...equal, [parts.length, 0]]) {
    const between = parts.slice(place, start);
    const said = between.filter((part) => part.trim()).length;
    const to = index + between.join("").length;
    if (said) marks.push({ from: index, to, name: "different" });
    count += said;
    index = to + parts.slice(start, start + size).join("").length;
    place = start + size;
  }
  return { marks, count };
}

// What a pair differs in is found while the browser has nothing else to do, so that the key only draws it.
class Comparison {
  constructor(texts) {
    this.texts = texts;
    this.idle = (window.requestIdleCallback ?? setTimeout)(() => this.found);
  }

  get found() {
    this.kept ??= [differencesOf(...this.texts)];
    return this.kept[0];
  }

  of(texts) {
    return texts.every((text, at) => text === this.texts[at]);
  }

  stop() {
    (window.cancelIdleCallback ?? clearTimeout)(this.idle);
  }
}

// The switch above a pair; it stays as it was from pair to pair, and when the page is loaded again.
class Differences {
  constructor(act) {
    this.shown = keptForSession(DIFFERENCES_KEPT) === "shown";
    this.button = button(phrase("show_differences"), "D", act);
    this.said = el("p", { class: "caption", role: "status", "data-testid": "differences" });
    this.root = el("div", { class: "differences", hidden: true }, this.button, this.said);
    this.compared = [];
  }

  // The pair on the screen and the one that comes next.
  prepare(...pairs) {
    const before = this.compared;
    this.compared = pairs.map((texts) => before.find((one) => one.of(texts)) ?? new Comparison(texts));
    for (const one of before) if (!this.compared.includes(one)) one.stop();
  }

  toggle() {
    this.shown = !this.shown;
    keepForSession(DIFFERENCES_KEPT, this.shown ? "shown" : "");
  }

  // The marks of each text.
  marksIn(texts) {
    this.root.hidden = texts.length !== 2;
    mark(this.button, "aria-pressed", String(this.shown));
    put(this.button.querySelector("span"), phrase(this.shown ? "hide_differences" : "show_differences"));
    const found = this.shown ? this.compared.find((one) => one.of(texts))?.found : undefined;
    put(this.said, found === undefined ? "" : sentenceOn(found));
    return found ? found.sides.map((side) => side.marks) : texts.map(() => []);
  }
}

function sentenceOn(found) {
  if (!found) return phrase("differences_too_long");
  const [first, second] = found.sides.map((side) => countedPhrase(found.unit, side.count));
  if (!found.sides.some((side) => side.count)) return phrase("differences_none");
  return phrase("differences_shown", { first, second, a: nameOf(0), b: nameOf(1) });
}

// A browser may refuse to keep anything; the choice then lasts as long as the page.
function keptForSession(key) {
  try {
    return sessionStorage.getItem(key);
  } catch {
    return null;
  }
}

function keepForSession(key, value) {
  try {
    sessionStorage.setItem(key, value);
  } catch {
    // nothing to do: the page itself remembers
  }
}
