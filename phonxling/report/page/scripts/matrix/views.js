// What the matrix can show: counts, probabilities, residuals, NPMI. A view is labels, values and how to read them.

import { countPairs, labels, tableCounts } from "../corpus.js";
import { GAP, number } from "../data.js";

const VIEWS = {
  counts: { title: "Counts", unit: "tokens", build: (_, counts) => ({ values: counts }) },
  probability: {
    title: "p(predicted | gold)",
    unit: (corpus) =>
      gapIsSymbol(corpus)
        ? "share of the gold phone's tokens"
        : "share of the gold phone's tokens that were not deleted; the column ∅: of all its tokens",
    build: (corpus, counts) => ({ values: rowShares(corpus, counts) }),
  },
  residual: {
    title: "Residual: observed less expected",
    unit: "probability; where both phones are the same: kept right more or less often",
    diverging: true,
    build: (corpus) => fromTable(corpus.expected, "gold", "predicted", "residual", "q"),
    missing: (corpus) => corpus.expected.length === 0 && "no reference language",
    whole: true,
  },
  npmi: {
    title: "NPMI of the alignment",
    unit: "NPMI, −1 to 1",
    diverging: true,
    limit: 1,
    build: (corpus, counts) => ({ values: npmi(corpus, counts) }),
  },
  association: {
    title: "NPMI of the posteriors",
    unit: "NPMI, −1 to 1",
    diverging: true,
    limit: 1,
    build: (corpus) => fromTable(corpus.association, "gold", "recognised", "npmi"),
    missing: (corpus) => corpus.association.length === 0 && "no posteriors",
    whole: true,
  },
  sounds: {
    title: "What it sounds like, by the posteriors",
    unit: "share of the gold phone's frames, silence and blank left out",
    build: (corpus) => fromTable(corpus.sounds, "gold", "recognised", "probability"),
    missing: (corpus) => corpus.sounds.length === 0 && "no forced times",
    whole: true,
  },
};

/** [key, title, why it is not there or false] of each view. */
export function viewsOf(corpus, speaker) {
  return Object.entries(VIEWS).map(([key, view]) => {
    const gone = view.missing?.(corpus) || (speaker && view.whole && "of all speakers only");
    return [key, gone ? `${view.title} (${gone})` : view.title, gone];
  });
}

/** The view of that key: rows, columns, values (NaN where there is none), counts, and how to read it. */
export function makeView(corpus, key, speaker) {
  const view = VIEWS[key];
  const counts = speaker ? countPairs(corpus, speaker) : tableCounts(corpus);
  const made = { rows: labels(corpus, "gold"), columns: labels(corpus, "predicted"), ...view.build(corpus, counts) };
  const unit = typeof view.unit === "function" ? view.unit(corpus) : view.unit;
  return { key, ...view, ...made, unit, limit: view.limit ?? largest(made.values), countOf: counter(corpus, counts) };
}

/** How often a pair of labels was counted. */
function counter(corpus, counts) {
  const [rows, columns] = ["gold", "predicted"].map((side) => labels(corpus, side));
  const places = [rows, columns].map((names) => new Map(names.map((name, code) => [name, code])));
  return (gold, predicted) => {
    const [row, column] = [places[0].get(gold), places[1].get(predicted)];
    return row === undefined || column === undefined ? 0 : counts[row * columns.length + column];
  };
}

const largest = (values) => values.reduce((most, value) => (Math.abs(value) > most ? Math.abs(value) : most), 0);

/** Whether the gap is a symbol of probabilities: then its cells have a joint one. */
const gapIsSymbol = (corpus) =>
  corpus.confusions.some((row) => (row.gold === GAP || row.predicted === GAP) && row.p_joint !== "");

/** Each cell over its row's tokens: with the gap where it is a symbol, else without; a gap's cell over all of them. */
function rowShares(corpus, counts) {
  const symbol = gapIsSymbol(corpus);
  const columns = corpus.predicted.length + 1;
  const shares = new Float64Array(counts.length).fill(NaN);
  for (let row = 0; row <= corpus.gold.length; row++) {
    const own = counts.subarray(row * columns, (row + 1) * columns);
    const kept = own.subarray(0, -1).reduce((sum, count) => sum + count, 0);
    const deleted = own[columns - 1];
    own.forEach((count, column) => {
      const whole = symbol || column === columns - 1 ? kept + deleted : kept;
      if (whole && !(row === corpus.gold.length && column === columns - 1))
        shares[row * columns + column] = count / whole;
    });
  }
  return shares;
}

/** NPMI of counts, without their gaps unless the gap is a symbol. */
function npmi(corpus, counts) {
  const more = gapIsSymbol(corpus) ? 1 : 0;
  const [rows, columns] = [corpus.gold.length + more, corpus.predicted.length + more];
  const width = corpus.predicted.length + 1;
  const values = new Float64Array(counts.length).fill(NaN);
  const at = (row, column) => counts[row * width + column];
  const [gold, predicted] = [new Float64Array(rows), new Float64Array(columns)];
  let total = 0;
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      gold[row] += at(row, column);
      predicted[column] += at(row, column);
      total += at(row, column);
    }
  }
  for (let row = 0; row < rows; row++) {
    for (let column = 0; column < columns; column++) {
      if (!gold[row] || !predicted[column]) continue;
      const p = at(row, column) / total;
      const value =
        p === 0 ? -1 : p === 1 ? 1 : Math.log2((p * total * total) / (gold[row] * predicted[column])) / -Math.log2(p);
      values[row * width + column] = value;
    }
  }
  return values;
}

/** A view of a long table; labels in the order of the table. */
function fromTable(table, row, column, name, significance) {
  const rows = [...new Set(table.map((line) => line[row]))];
  const columns = [...new Set(table.map((line) => line[column]))];
  const places = [rows, columns].map((names) => new Map(names.map((label, place) => [label, place])));
  const values = new Float64Array(rows.length * columns.length).fill(NaN);
  const marked = new Set();
  for (const line of table) {
    const place = places[0].get(line[row]) * columns.length + places[1].get(line[column]);
    values[place] = number(line[name]);
    if (significance && number(line[significance]) < 0.05) marked.add(place);
  }
  return { rows, columns, values, marked };
}
