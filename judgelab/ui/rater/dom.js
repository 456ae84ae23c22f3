// Building elements. Texts become text nodes and nothing else: what was uploaded is never read as HTML.
function el(tag, options = {}, ...children) {
  const node = document.createElement(tag);
  const { text, on, ...attributes } = options;
  if (text !== undefined) node.textContent = text;
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== false) node.setAttribute(name, value === true ? "" : value);
  }
  for (const [event, handler] of Object.entries(on ?? {})) node.addEventListener(event, handler);
  node.append(...children.filter(Boolean));
  return node;
}

// Writing an equal value would still cost a repaint and make screen readers speak again.
function put(node, text) {
  if (node.textContent !== text) node.textContent = text;
}

function mark(node, name, value) {
  if (value === null || value === false) node.removeAttribute(name);
  else if (node.getAttribute(name) !== String(value)) node.setAttribute(name, value);
}

function kbd(key) {
  return el("kbd", { text: key, dir: key.length > 1 && "ltr", "aria-hidden": "true" });
}

// A field follows what is written in it; an empty one, with its hint, follows the language of the screen.
function directed(field) {
  mark(field, "dir", field.value ? "auto" : SPOKEN.direction);
}

function writtenFrom(field) {
  field.addEventListener("input", () => directed(field));
  directed(field);
}

// In a low window a dialog is higher than the window, and the button that gets the focus is its end.
function showFromTop(dialog) {
  if (!dialog.open) dialog.showModal();
  dialog.scrollTop = 0;
}

const ICONS = {
  check: "M9 16.2 4.8 12l-1.4 1.4L9 19 21 7l-1.4-1.4z",
  flag: "M14.4 6 14 4H5v17h2v-7h5.6l.4 2h7V6z",
  note: "M20 2H4c-1.1 0-2 .9-2 2v18l4-4h14c1.1 0 2-.9 2-2V4c0-1.1-.9-2-2-2z",
  mail: "M20 4H4c-1.1 0-2 .9-2 2v12c0 1.1.9 2 2 2h16c1.1 0 2-.9 2-2V6c0-1.1-.9-2-2-2zm0 4-8 5-8-5V6l8 5 8-5z",
  chevron: "M8.6 16.6 13.2 12 8.6 7.4 10 6l6 6-6 6z",
};

function icon(name) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  const path = document.createElementNS("http://www.w3.org/2000/svg", "path");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("class", `icon ${name}`);
  svg.setAttribute("aria-hidden", "true");
  path.setAttribute("d", ICONS[name]);
  svg.append(path);
  return svg;
}
