// All answers to a question: which is the best, which the worst. The first digit names the best, the next the worst.
FORMS.best_worst = class extends ListForm {
  build(size) {
    const points = Array.from({ length: size }, (_, at) => ({
      value: at,
      sign: nameOf(at),
      key: String(at + 1),
      label: "",
      anchor: "",
    }));
    const end = (criterion, part, label) => this.row(criterion, part, { part, label, short: label, widget: "points", points });
    return this.criteria.flatMap((criterion) => [
      end(criterion, "best", phrase("best")),
      end(criterion, "worst", phrase("worst")),
    ]);
  }

  // No answer is both: naming the worst one best makes the best one worst.
  set(given, row, value) {
    const other = `${row.key}\n${row.part === "best" ? "worst" : "best"}`;
    if (given[other] === value) {
      if (given[row.id] === undefined) delete given[other];
      else given[other] = given[row.id];
    }
    given[row.id] = value;
  }

  valueOf(row, places) {
    const at = places.indexOf(row.part === "best" ? 1 : 3);
    return at < 0 ? undefined : at;
  }

  places(given, key, size) {
    const [best, worst] = [given[`${key}\nbest`], given[`${key}\nworst`]];
    const between = best === undefined || worst === undefined ? null : 2;
    return Array.from({ length: size }, (_, at) => (at === best ? 1 : at === worst ? 3 : between));
  }

  summary(given, row) {
    const [best, worst] = [given[`${row.key}\nbest`], given[`${row.key}\nworst`]];
    const named = (at) => (at === undefined ? "–" : nameOf(at));
    return phrase("ends", { best: named(best), worst: named(worst) });
  }
};
