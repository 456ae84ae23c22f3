// All answers to a question: a place for each, equal places are ties.
const MOST_DIGITS = 9;

class ListForm extends Form {
  // Rows of one criterion stand together under its name.
  row(criterion, part, values) {
    return {
      id: `${criterion.key}\n${part}`,
      key: criterion.key,
      group: { label: criterion.label, question: criterion.question },
      quick: true,
      ...values,
    };
  }

  // The places of one criterion's answers, as the server keeps them; nothing while all are open.
  say(given, item) {
    const places = {};
    for (const { key } of this.criteria) {
      const found = this.places(given, key, this.answers(item).length);
      if (found.some((place) => place !== null)) places[key] = found;
    }
    return { places };
  }

  read(said, item) {
    const given = {};
    for (const row of this.rows(item)) {
      const value = this.valueOf(row, said.places?.[row.key] ?? []);
      if (value !== undefined && value !== null) given[row.id] = value;
    }
    return given;
  }
}

FORMS.ranking = class extends ListForm {
  build(size) {
    const points = Array.from({ length: size }, (_, at) => {
      const place = at + 1;
      return { value: place, sign: String(place), key: String(place), label: "", anchor: "" };
    });
    const digits = size <= MOST_DIGITS;
    const scale = { low: 1, high: size, step: 1, low_label: phrase("best_end"), high_label: phrase("worst_end") };
    return this.criteria.flatMap((criterion) =>
      Array.from({ length: size }, (_, at) =>
        this.row(criterion, at, {
          at,
          label: calledBy(this.task, at),
          short: nameOf(at),
          widget: digits ? "points" : "number",
          points: digits ? points : [],
          ...scale,
        }),
      ),
    );
  }

  valueOf(row, places) {
    return places[row.at];
  }

  places(given, key, size) {
    return Array.from({ length: size }, (_, at) => given[`${key}\n${at}`] ?? null);
  }

  summary(given, row, item) {
    const places = this.places(given, row.key, this.answers(item).length);
    const tied = new Map();
    places.forEach((place, at) => place !== null && tied.set(place, [...(tied.get(place) ?? []), nameOf(at)]));
    const order = [...tied.keys()].sort((a, b) => a - b).map((place) => tied.get(place).join(" = "));
    return order.length ? phrase("order", { names: order.join(" > ") }) : phrase("order_none");
  }
};
