// The matrix that a choice asks for: counts of all or of a speaker, as a view's numbers; and which of its rows and columns are shown, in which order.

const { GAP, labels, layerOf, number, page, placer, VIEWS } = shared;

const LEAST_Q = 0.05;

/** The views that a choice shows: of its corpus, of two beside each other over the same phones, or of their difference. */
function viewsFor(chosen) {
  const view = VIEWS[chosen.view];
  const corpora = chosen.other ? [chosen.corpus, chosen.other] : [chosen.corpus];
  const frames = corpora.map((corpus) => layerOf(view, corpus) ?? frameOf(corpus));
  const frame = frames.length === 1 ? frames[0] : bothFrames(frames, view.two);
  const views = corpora.map((corpus) => viewOf(corpus, chosen, view, frame));
  return view.two ? [contrast(views, chosen)] : views;
}

const frameOf = (corpus) => ({ rows: labels(corpus, "gold"), columns: labels(corpus, "predicted") });

/** The rows and columns of two, ∅ last: the columns of either, the rows of either or, `common`, of both. */
function bothFrames([first, second], common) {
  const rows = common ? first.rows.filter((name) => second.rows.includes(name)) : [...first.rows, ...second.rows];
  const last = (names) => [...new Set(names)].sort((a, b) => Number(a === GAP) - Number(b === GAP));
  return { rows: last(rows), columns: last([...first.columns, ...second.columns]) };
}

/** A view of a corpus: its numbers and its colours. */
function viewOf(corpus, chosen, view, { rows, columns }) {
  const frame = { rows, columns };
  const counts = over(countsOf(corpus, chosen.speaker), frame, 0);
  const shape = { height: rows.length, width: columns.length, counts, tests: chosen.tests };
  const values = view.table ? over(layerOf(view, corpus), frame, NaN) : Float64Array.from(view.values(shape));
  return {
    ...view,
    ...frame,
    key: chosen.view,
    corpora: [corpus],
    values,
    counts,
    limit: view.limit ?? largest(values),
    marked: view.q ? markedCells(corpus[view.table[0]], frame) : new Set(),
  };
}

/** Calls `take(utterance, place)` for each pair that the page carries, of a speaker or, "", of all. */
function eachPair({ alignments: { offsets, speakers } }, speaker, take) {
  for (let u = 0; u + 1 < offsets.length; u++) {
    if (speaker && speakers[u] !== speaker) continue;
    for (let place = offsets[u]; place < offsets[u + 1]; place++) take(u, place);
  }
}

/** The counts of a speaker's pairs or, "", those of the table, rows gold, columns predicted, ∅ last. */
function countsOf(corpus, speaker) {
  const { rows, columns } = frameOf(corpus);
  const values = new Float64Array(rows.length * columns.length);
  const { gold, predicted } = corpus.alignments;
  if (speaker) {
    eachPair(corpus, speaker, (_, place) => {
      values[gold[place] * columns.length + predicted[place]] += 1;
    });
    return { rows, columns, values };
  }
  const at = placer({ rows, columns });
  for (const row of corpus.confusions) values[at(row.gold, row.predicted)] = number(row.count);
  return { rows, columns, values };
}

/** Numbers by phones over other rows and columns; `blank` where they had none. */
function over({ values, ...own }, { rows, columns }, blank) {
  const at = placer(own);
  return Float64Array.from(rows.flatMap((gold) => columns.map((predicted) => values[at(gold, predicted)] ?? blank)));
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
function placesOf({ partners }, views) {
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

Object.assign(shared, { eachPair, placesOf, viewsFor });
