const AS_TYPED_KEPT = "judgelab.typed";

// The switch between texts as they are meant to be read, and as typed.
class AsTyped {
  constructor(act) {
    this.on = keptForSession(AS_TYPED_KEPT) === "on";
    this.button = button(phrase("show_typed"), "M", act);
    this.button.hidden = true;
  }

  toggle() {
    this.on = !this.on;
    keepForSession(AS_TYPED_KEPT, this.on ? "on" : "");
  }

  // The item's rendered texts, or none.
  of(item) {
    this.button.hidden = !Object.keys(item.rendered ?? {}).length;
    mark(this.button, "aria-pressed", String(this.on));
    put(this.button.querySelector("span"), phrase(this.on ? "show_formatted" : "show_typed"));
    return this.on ? {} : (item.rendered ?? {});
  }
}
