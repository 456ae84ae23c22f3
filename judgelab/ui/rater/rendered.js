// A text as it is meant to be read. The server sends it as elements and as places in the text (judgelab/rendering),
// never as HTML; marks and selections stay in places of the text as typed.
const MATHML = "http://www.w3.org/1998/Math/MathML";
const SHOWN_TAGS = new Set(
  ("p h5 h6 ul ol li blockquote pre code em strong del hr div span img table thead tbody tr th td math mrow mi mn mo mtext " +
    "mspace msup msub msubsup mfrac msqrt mroot mover munder munderover mtable mtr mtd mstyle mpadded mphantom menclose").split(
    " ",
  ),
);
const SHOWN_ATTRIBUTES = new Set(
  ("class start title src alt display mathvariant stretchy fence form linethickness columnalign accent movablelimits " +
    "displaystyle scriptlevel notation").split(" "),
);
const IMAGES = {
  pass: "", // a browser without our cookie is known by what the address of an image carries
  fetched: new Set(),
};
const PLACES = new WeakMap(); // of a text node, formula or image: [from, to] in the text as typed, and whether it is one piece

const DRAWN = new WeakMap(); // of a node: the tree and the marks it shows
const NEXT = {}; // the text that is shown next, built already, and its marks

function drawText(node, text, marks, tree) {
  node.classList.toggle("rendered", Boolean(tree));
  if (!tree) {
    DRAWN.delete(node);
    fill(node, text, marks);
    return;
  }
  const look = JSON.stringify(marks);
  const drawn = DRAWN.get(node);
  if (drawn?.tree === tree && drawn.look === look) return;
  const ready = NEXT.text === text && NEXT.look === look;
  node.replaceChildren(...(ready ? NEXT.nodes : built(tree, text, marks)));
  if (ready) NEXT.text = undefined; // its elements are in use now
  DRAWN.set(node, { tree, look });
}

// Builds what is shown next while nothing else is to do.
function prepareText(text, marks, tree) {
  const look = JSON.stringify(marks);
  if (!tree || (NEXT.text === text && NEXT.look === look)) return;
  Object.assign(NEXT, { text, look, nodes: built(tree, text, marks) });
}

function built(tree, text, marks) {
  return tree.flatMap((node) => (Array.isArray(node) ? builtPiece(node, text, marks) : [builtElement(node, text, marks)]));
}

// Characters of the text, or what an entity in it stands for.
function builtPiece([from, to, shown], text, marks) {
  const over = marks.filter((mark) => mark.from < to && mark.to > from);
  if (shown === undefined) {
    const inside = over.map((mark) => ({ ...mark, from: Math.max(mark.from - from, 0), to: mark.to - from }));
    const nodes = pieces(text.slice(from, to), inside);
    let at = from;
    for (const node of nodes) at = place(node.firstChild ?? node, at, at + node.textContent.length);
    return nodes;
  }
  const names = [...new Set(over.map((mark) => mark.name))];
  const node = names.length ? el("mark", { class: names.join(" "), text: shown }) : document.createTextNode(shown);
  if (to > from) PLACES.set(node.firstChild ?? node, [from, to, true]);
  return [node];
}

function builtElement({ tag, attributes = {}, place: at, children = [] }, text, marks, within) {
  const name = SHOWN_TAGS.has(tag) ? tag : "span";
  const math = name === "math" || within === MATHML;
  const node = math ? document.createElementNS(MATHML, name) : document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (SHOWN_ATTRIBUTES.has(key)) node.setAttribute(key, key === "src" ? ownAddress(value, IMAGES.pass) : value);
  }
  if (name === "pre" || name === "table") node.setAttribute("tabindex", "0"); // it may have its own scroll
  for (const child of children) {
    node.append(...(Array.isArray(child) ? builtPiece(child, text, marks) : [builtElement(child, text, marks, math ? MATHML : undefined)]));
  }
  if (at) {
    place(node, ...at);
    for (const mark of marks) if (mark.from < at[1] && mark.to > at[0]) node.classList.add(mark.name);
  }
  return node;
}

// Of our own server: nothing is fetched from anywhere else.
function ownAddress(path, pass) {
  const address = new URL(path, location.origin);
  if (pass) address.searchParams.set("pass", pass);
  return address.origin === location.origin ? address.href : "";
}

// Fetches the images of texts that are shown next, so that they are there at once, also without a network.
function fetchImages(trees) {
  for (const node of trees.flat(Infinity)) {
    if (node?.tag === "img") {
      const address = ownAddress(node.attributes.src, IMAGES.pass);
      if (!IMAGES.fetched.has(address)) new Image().src = address;
      IMAGES.fetched.add(address);
    } else if (node?.children) fetchImages(node.children);
  }
}

function place(node, from, to) {
  PLACES.set(node, [from, to]);
  return to;
}

// Where a selection in a rendered text begins and ends in the text as typed; null if it holds nothing of it.
function placesIn(root, selection) {
  const range = document.createRange();
  range.setStart(selection.startContainer, selection.startOffset);
  range.setEnd(selection.endContainer, selection.endOffset);
  const walker = document.createTreeWalker(root, NodeFilter.SHOW_TEXT | NodeFilter.SHOW_ELEMENT);
  let [from, to] = [null, null];
  while (walker.nextNode()) {
    const node = walker.currentNode;
    const at = PLACES.get(node);
    if (!at || !range.intersectsNode(node)) continue;
    const [start, end] = [node === range.startContainer, node === range.endContainer];
    if ((start && range.startOffset >= node.length) || (end && range.endOffset === 0)) continue;
    const [first, last, whole] = at; // of an entity, the whole is meant
    from ??= start && !whole ? Math.min(first + range.startOffset, last) : first;
    to = end && !whole ? Math.min(first + range.endOffset, last) : last;
  }
  return from === null ? null : [from, to];
}

const SHOWN_IN_LINE = "em strong del code span".split(" ");
const FORMULA_SHOWN = "X"; // a letter: a formula is a word, and may begin a sentence
const SHOWN = new WeakMap(); // of a tree: what it shows

// What a rendered text shows, with the place in the text as typed of each character; between blocks stands the
// end of a line, which has none.
function shownOf(tree, text) {
  if (!SHOWN.has(tree)) {
    const shown = { said: "", places: [] };
    addShown(tree, text, shown);
    SHOWN.set(tree, shown);
  }
  return SHOWN.get(tree);
}

function addShown(nodes, text, shown) {
  const add = (said, placeOf) => {
    shown.said += said;
    for (let at = 0; at < said.length; at++) shown.places.push(placeOf(at));
  };
  for (const node of nodes) {
    if (Array.isArray(node)) {
      const [from, to, stands] = node;
      if (stands === undefined) add(text.slice(from, to), (at) => [from + at, from + at + 1]);
      else if (to > from) add(stands, () => [from, to]);
      continue;
    }
    const block = !SHOWN_IN_LINE.includes(node.tag);
    if (block) add("\n", () => null);
    if (node.place) add(FORMULA_SHOWN, () => node.place);
    else addShown(node.children ?? [], text, shown);
    if (block) add("\n", () => null);
  }
}

// What is shown of a part of the text, formulas as typed; without a tree, all of it.
function shownBetween(tree, text, from, to) {
  if (!tree) return text.slice(from, to);
  const { said, places } = shownOf(tree, text);
  const spokenOf = (at, index) => (said[index] === FORMULA_SHOWN && at[1] - at[0] > 1 ? text.slice(...at) : said[index]);
  const spoken = places.map((at, index) => {
    if (!at) return " ";
    return at[0] < to && at[1] > from ? spokenOf(at, index) : "";
  });
  return spoken.join("").trim().replace(/\s+/g, " ");
}
