// Marked words in a text: those of the question, and spans kept as evidence. Marks are elements around text
// nodes; what was uploaded stays text.
const WORD = /[\p{L}\p{N}]+/gu;
const SHORTEST_WORD = 3;
const SMALL_WORDS = new Set(
  ("a an and any are as at be been but by can could did do does for from had has have how if in into is it its may " +
    "not of on or should so than that the their them then there these they this to was were what when where which " +
    "who why will with would you your").split(" "),
);

// Places in a text are counted in characters, as the server counts them; JavaScript counts some of them twice.
function charactersBefore(text, index) {
  return [...text.slice(0, index)].length;
}

function indexOfCharacter(text, count) {
  let index = 0;
  for (const character of text) {
    if (count-- <= 0) break;
    index += character.length;
  }
  return index;
}

function quoteOf(text, { start, end }) {
  return [...text].slice(start, end).join("");
}

function wordsOf(question) {
  const words = (question.toLowerCase().match(WORD) ?? []).filter((word) => word.length >= SHORTEST_WORD);
  return new Set(words.filter((word) => !SMALL_WORDS.has(word)));
}

function askedIn(text, words) {
  if (!words.size) return [];
  return [...text.matchAll(WORD)]
    .filter(([word]) => words.has(word.toLowerCase()))
    .map((found) => ({ from: found.index, to: found.index + found[0].length, name: "asked" }));
}

// Spans as places in the JavaScript text.
function placed(text, spans, name) {
  return spans.map(({ start, end }) => ({ from: indexOfCharacter(text, start), to: indexOfCharacter(text, end), name }));
}

// The text with its marks as nodes; where marks overlap, a piece bears both names.
function pieces(text, marks) {
  const inside = marks.filter((mark) => mark.from < text.length && mark.to > mark.from).sort((a, b) => a.from - b.from);
  if (!inside.length) return [document.createTextNode(text)];
  const ends = inside.flatMap((mark) => [mark.from, Math.min(mark.to, text.length)]);
  const cuts = [...new Set([0, text.length, ...ends])].sort((a, b) => a - b);
  let [next, open] = [0, []]; // one pass over both: a compared text has hundreds of marks
  return cuts.slice(1).map((to, index) => {
    const from = cuts[index];
    open = open.filter((mark) => mark.to > from);
    while (next < inside.length && inside[next].from === from) open.push(inside[next++]);
    const names = open.map((mark) => mark.name);
    const piece = text.slice(from, to);
    return names.length ? el("mark", { class: [...new Set(names)].join(" "), text: piece }) : document.createTextNode(piece);
  });
}

function fill(node, text, marks = []) {
  if (marks.length || node.firstElementChild) node.replaceChildren(...pieces(text, marks));
  else put(node, text);
}
