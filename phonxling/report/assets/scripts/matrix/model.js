// The matrix that a choice asks for: counts of all or of a speaker, as a view's numbers; and which of its rows and columns are shown, in which order.

const COUNTS = ["confusions", "predicted", "count"]; // as tables of views are named

/** The views that a choice shows: of its corpus, of two beside each other over the same phones, or of their difference. */
function viewsFor(chosen) {
  const view = VIEWS[chosen.view];
  const corpora = chosen.other ? [chosen.corpus, chosen.other] : [chosen.corpus];
  const frames = corpora.map((corpus) => frameOf(view, corpus));
  const frame = frames.length === 1 ? frames[0] : bothFrames(frames, view.two);
  const views = corpora.map((corpus) => viewOf(corpus, chosen, view, frame));
  return view.two ? [contrast(views, chosen)] : views;
}

/** The rows and columns of a view of a corpus: its phones, or those of the table that the view shows. */
function frameOf({ table }, corpus) {
  if (!table) return { rows: labels(corpus, "gold"), columns: labels(corpus, "predicted") };
  const [rows, columns] = ["gold", table[1]].map((side) => [...new Set(corpus[table[0]].map((line) => line[side]))]);
  return { rows, columns };
}

/** The rows and columns of two, ∅ last: the columns of either, the rows of either or, `common`, of both. */
function bothFrames([first, second], common) {
  const rows = common ? first.rows.filter((name) => second.rows.includes(name)) : [...first.rows, ...second.rows];
  const last = (names) => [...new Set(names)].sort((a, b) => Number(a === GAP) - Number(b === GAP));
  return { rows: last(rows), columns: last([...first.columns, ...second.columns]) };
}

/** A view of a corpus: its numbers and its colours. */
function viewOf(corpus, chosen, view, frame) {
  const counts = chosen.speaker ? countsOf(corpus, chosen.speaker, frame) : cellsOf(corpus, COUNTS, frame, 0);
  const shape = { height: frame.rows.length, width: frame.columns.length, counts, tests: chosen.tests };
  const values = view.table ? cellsOf(corpus, view.table, frame, NaN) : Float64Array.from(view.values(shape));
  const limit = view.limit ?? largest(values);
  const marked = view.q ? markedCells(corpus[view.table[0]], frame) : new Set();
  return { ...view, ...frame, key: chosen.view, corpora: [corpus], values, counts, limit, marked };
}

/** Calls `take(utterance, place)` for each pair that the page carries, of a speaker or, "", of all. */
function eachPair({ alignments: { offsets, speakers } }, speaker, take) {
  for (let u = 0; u + 1 < offsets.length; u++) {
    if (speaker && speakers[u] !== speaker) continue;
    for (let place = offsets[u]; place < offsets[u + 1]; place++) take(u, place);
  }
}

/** The counts of a speaker's pairs among rows and columns. */
function countsOf(corpus, speaker, frame) {
  const [gold, predicted] = ["gold", "predicted"].map((side) => labels(corpus, side));
  const { alignments } = corpus;
  const at = placer(frame);
  const counts = new Float64Array(frame.rows.length * frame.columns.length);
  eachPair(corpus, speaker, (_, place) => {
    counts[at(gold[alignments.gold[place]], predicted[alignments.predicted[place]])] += 1;
  });
  return counts;
}

/** A column of a corpus' table among rows and columns; `blank` where it has nothing. */
function cellsOf(corpus, [kind, other, value], frame, blank) {
  const at = placer(frame);
  const cells = new Float64Array(frame.rows.length * frame.columns.length).fill(blank);
  for (const line of corpus[kind]) cells[at(line.gold, line[other])] = number(line[value]);
  return cells;
}

/** A function that tells where the cell of two phones stands among rows and columns, row by row; NaN for none. */
function placer({ rows, columns }) {
  const [down, across] = [rows, columns].map((names) => new Map(names.map((name, place) => [name, place])));
  return (gold, predicted) => down.get(gold) * columns.length + across.get(predicted);
}

const largest = (values) => values.reduce((most, value) => (Math.abs(value) > most ? Math.abs(value) : most), 0);

/** The cells of a table whose q is below 0.05, as places among rows and columns. */
function markedCells(table, frame) {
  const at = placer(frame);
  const sure = table.filter(({ q }) => number(q) < LEAST_Q);
  return new Set(sure.map(({ gold, predicted }) => at(gold, predicted)).filter(Number.isInteger));
}

/** The difference of two views over the same rows and columns, marked where a table tests the same shares. */
function contrast([first, second], chosen) {
  const values = first.values.map((value, place) => value - second.values[place]);
  const tested = testsOf(chosen);
  return {
    ...first,
    corpora: [chosen.corpus, chosen.other],
    values,
    limit: largest(values),
    counts: first.counts.map((count, place) => count + second.counts[place]),
    parts: [first, second],
    tested: tested.length > 0,
    marked: markedCells(tested, first),
  };
}

/** The tests of the two corpora that are of the shares that are shown: of all tokens. */
function testsOf({ tests, corpus, other, speaker }) {
  if (speaker) return [];
  const names = [corpus.name, other.name];
  return tests.filter((row) => names.includes(row.item) && names.includes(row.other));
}

/** The places of the rows and columns that are shown, in the order of the chart, ∅ last: of `partners`, those it meets. */
function shownPlaces({ partners }, views) {
  const [{ rows: names, columns: others }] = views;
  const [rows, columns] = [names, others].map(ordered);
  if (!partners) return { rows, columns };
  const [own, predicted] = [names.indexOf(partners), others.indexOf(partners)];
  const meet = (row, column) =>
    row >= 0 && column >= 0 && views.some(({ counts }) => counts[row * others.length + column] > 0);
  return {
    rows: rows.filter((row) => row === own || meet(row, predicted)),
    columns: columns.filter((column) => column === predicted || meet(own, column)),
  };
}

function ordered(names) {
  const chart = new Map(page.orders.chart.map((name, place) => [name, place]));
  const rank = (place) => (names[place] === GAP ? Infinity : (chart.get(names[place]) ?? chart.size));
  return names.map((_, place) => place).sort((a, b) => rank(a) - rank(b) || a - b);
}
