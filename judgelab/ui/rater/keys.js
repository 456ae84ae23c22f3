// The keyboard: the digit typed is the score, the choice or the place. Listens before Streamlit, whose own shortcuts use R and C.
const ELSEWHERE = "a, button, input, textarea, select, [role=option], [role=slider], [contenteditable=true]";
const FIELD = /^(INPUT|TEXTAREA|SELECT)$/;

function onKey(rater, event) {
  if (event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (event.repeat && !event.key.startsWith("Arrow")) return;
  const path = event.composedPath();
  const target = path[0];
  const ours = path.includes(rater.root);
  if (!ours && (target.closest?.(ELSEWHERE) || document.querySelector("[role=dialog]"))) return;
  if (rater.view.dialogOpen()) return;
  const act = FIELD.test(target.tagName) ? fieldKey(rater, event, target) : deskKey(rater, event, target);
  if (!act) return;
  event.preventDefault();
  event.stopImmediatePropagation();
  act();
}

function fieldKey(rater, event, field) {
  if (field.dataset.role === "comment") {
    if (event.key === "Escape" || (event.key === "Enter" && !event.shiftKey)) return () => leave(rater, field);
    return null;
  }
  if (field.dataset.role === "question") {
    if (event.key === "Escape") return () => leave(rater, field);
    if (event.key !== "Enter" || event.shiftKey) return null;
    return field.tagName === "TEXTAREA" ? () => leave(rater, field) : () => rater.submit();
  }
  if (event.key === "Enter") return () => rater.confirmNumber();
  if (event.key === "Escape") return () => field.blur();
  return field.type === "number" ? commandOf(rater, latinKey(event)) : null;
}

function leave(rater, field) {
  field.blur(); // on a phone nothing else takes the focus, and digits would go on into the comment
  rater.view.focus();
}

function deskKey(rater, event, target) {
  if (rater.evidence.chooser.pending) return rater.evidence.chooser.key(event, target);
  const marking = rater.evidence.active && rater.evidence.key(event);
  if (marking) return marking;
  // The button of a dialog that was just closed has the focus until the next frame, and is none any more.
  const onButton = target.tagName === "BUTTON" && !isPoint(target) && target.checkVisibility?.() !== false;
  if (onButton && (event.key === "Enter" || event.key === " ")) return null; // the button's own
  if (target.tagName === "A" && event.key === "Enter") return null; // follows the link
  if (!rater.desk.item) {
    if (event.key === "Enter") return () => rater.lookAgainAtSkipped();
    const late = { u: () => rater.undo(), w: () => rater.messages.open() };
    return late[latinKey(event).toLowerCase()] ?? null;
  }
  const across = ["ArrowLeft", "ArrowRight"].includes(event.key);
  if (across && target.closest?.("[role=tablist]")) return () => rater.view.reading.sides.turn();
  const moves = {
    ArrowUp: () => rater.move(-1),
    ArrowDown: () => rater.move(1),
    // As seen on the screen: what comes next stands at the left where the language is written from the right.
    ArrowLeft: () => rater.step(rightToLeft() ? 1 : -1),
    ArrowRight: () => rater.step(rightToLeft() ? -1 : 1),
    Enter: () => rater.submit(),
    " ": () => rater.choose(rater.desk.pos, rater.desk.point),
  };
  if (event.key === " " && !isPoint(target)) return null; // scrolls the page
  return moves[event.key] ?? commandOf(rater, latinKey(event)) ?? pointOf(rater, event);
}

function isPoint(target) {
  return ["radio", "checkbox"].includes(target.getAttribute("role"));
}

// A keyboard of another script has no S: the place of the key tells which one is meant.
function latinKey({ key, code, shiftKey }) {
  if ([...key].length > 1 || /[\x20-\x7e]/.test(key)) return key;
  if (code === "Slash") return shiftKey ? "?" : "/";
  return /^Key[A-Z]$/.test(code) ? code[3].toLowerCase() : key;
}

function commandOf(rater, key) {
  const commands = {
    x: () => rater.pass(),
    e: () => rater.evidence.asked && rater.evidence.act(),
    s: rater.options.skip ? () => rater.skip() : null,
    f: () => rater.view.openFlag(),
    u: () => rater.undo(),
    m: () => rater.toggleTyped(),
    q: () => rater.toQuestions(),
    d: () => comparesTwo(rater.options) && rater.toggleDifferences(),
    t: () => rater.view.reading.sides.toggleApart(),
    v: () => rater.view.reading.sides.turn(),
    p: () => rater.lease.pause(),
    w: () => rater.messages.open(),
    r: () => rater.toggle("references"),
    c: () => rater.toggle("context"),
    g: () => rater.toggle("guidelines"),
    "/": () => rater.options.comment && rater.view.focusComment(),
    "?": () => rater.view.openKeys(),
  };
  return commands[key.toLowerCase()] ?? null;
}

function pointOf(rater, event) {
  // On French keyboards the digits need Shift; the physical key tells which one was meant.
  const digit = /^[0-9]$/.test(event.key) ? event.key : /^Digit[0-9]$/.test(event.code) ? event.code[5] : null;
  const { row, form } = rater.desk;
  if (row.widget === "number") return digit === null ? null : () => rater.view.typeNumber(digit);
  const index = [latinKey(event), digit].filter(Boolean).map((key) => form.pointOf(row, key)).find((at) => at >= 0);
  return index === undefined ? null : () => rater.choose(rater.desk.pos, index, { advance: true });
}
