// The order of a list of utterances: by rate, length, speaker or name, up or down.

const { element } = modules.elements;

const measured = new Map();

/** What a list of utterances can be sorted by: the title of its column, and which way first. */
const COLUMNS = [
  ["id", "Utterance", ""],
  ["speaker", "Speaker", ""],
  ["length", "Phones", "-"],
  ["wper", "wPER", "-"],
  ["per", "PER", "-"],
];

/** The values of each column, an utterance a place; the names as their ranks. */
function valuesOf(corpus) {
  if (!measured.has(corpus.name)) measured.set(corpus.name, measure(corpus));
  return measured.get(corpus.name);
}

/** The order that a state asks for, such as "-wper" for the highest first; what cannot be sorted by is not. */
function chosenOrder(corpus, sort) {
  const known = COLUMNS.flatMap(([name]) => [name, `-${name}`]);
  return known.includes(sort) ? sort : `-${rateOf(corpus)}`;
}

/** The rate that the worst and the best are found by: wPER, or PER where the costs give no wPER. */
const rateOf = (corpus) => (corpus.alignments.wper.some((rate) => !Number.isNaN(rate)) ? "wper" : "per");

/** Utterances in that order: those without a value last, equal ones by their names. */
function sorted(corpus, utterances, order) {
  const values = valuesOf(corpus);
  const own = values[order.replace("-", "")];
  const way = order.startsWith("-") ? -1 : 1;
  const missing = (u) => Number(Number.isNaN(own[u]));
  return utterances.toSorted(
    (a, b) => missing(a) - missing(b) || way * (own[a] - own[b]) || values.id[a] - values.id[b],
  );
}

/** The middle one of some utterances by their rate; the first where none has a rate, and −1 of none. */
function middle(corpus, utterances) {
  const rate = rateOf(corpus);
  const ranked = sorted(
    corpus,
    utterances.filter((u) => !Number.isNaN(corpus.alignments[rate][u])),
    `-${rate}`,
  );
  return ranked[Math.floor((ranked.length - 1) / 2)] ?? utterances[0] ?? -1;
}

/** The head of the list: a button a column, which sorts by it, or the other way round. */
function head(order, speakers, onSort) {
  const cells = COLUMNS.filter(([name]) => speakers || name !== "speaker").map(([name, title, first]) => {
    const chosen = order.replace("-", "") === name;
    const button = element("button", { type: "button", "data-sort": name }, title);
    button.onclick = () =>
      onSort(chosen && order.startsWith("-") === (first === "-") ? turned(name, first) : first + name);
    const way = chosen ? (order.startsWith("-") ? "descending" : "ascending") : null;
    if (chosen) button.append(way === "descending" ? " ▾" : " ▴");
    return element("th", { scope: "col", "aria-sort": way, class: `of-${name}` }, button);
  });
  return element("tr", {}, ...cells);
}

const turned = (name, first) => (first === "-" ? name : `-${name}`);

function measure(corpus) {
  const { ids, speakers, offsets, gold, wper, per } = corpus.alignments;
  const length = ids.map((_, u) => {
    const own = gold.subarray(offsets[u], offsets[u + 1]);
    return own.reduce((sum, code) => sum + Number(code < corpus.gold.length), 0);
  });
  return { id: ranks(ids), speaker: ranks(speakers), length, wper, per };
}

/** The rank of each name; the same for the same name, and NaN for none. */
function ranks(names) {
  const { compare } = new Intl.Collator("en", { numeric: true });
  const different = [...new Set(names)].filter(Boolean).sort(compare);
  const rank = new Map(different.map((name, place) => [name, place]));
  return names.map((name) => rank.get(name) ?? NaN);
}

modules["utterances/order"] = { chosenOrder, head, middle, sorted, valuesOf };
