// The matrix that a choice asks for: counts under conditions, without what is hidden, as the numbers of a view.

const { labels, tableCounts } = modules.corpus;
const { GAP } = modules.data;
const { anyOf, countPairs } = modules["matrix/counting"];
const { bothFrames, over } = modules["matrix/frame"];
const { difference } = modules["matrix/measures"];
const { VIEWS } = modules["matrix/views"];

const LEAST_Q = 0.05;

/** The views that a choice shows: of its corpus, of two beside each other over the same phones, or of their difference. */
function viewsFor(chosen) {
  const view = VIEWS[chosen.view];
  const corpora = chosen.other ? [chosen.corpus, chosen.other] : [chosen.corpus];
  const frames = corpora.map((corpus) => frameOf(corpus, view));
  const frame = frames.length === 1 ? frames[0] : gapLast(bothFrames(...frames, view.two));
  const parts = corpora.map((corpus) => counted(corpus, chosen, view, frame));
  if (!view.two) return parts.map((part) => finished(part, chosen, view, rareOf([part], chosen.rare)));
  const hidden = rareOf(parts, chosen.rare);
  const views = parts.map((part) => finished(part, chosen, view, hidden));
  return [contrast(views, chosen)];
}

/** The names of the rows and columns of a corpus' view. */
function frameOf(corpus, view) {
  if (view.layer) return view.layer(corpus);
  return { rows: labels(corpus, "gold"), columns: labels(corpus, "predicted") };
}

function gapLast(frame) {
  const last = (names) => [...names.filter((name) => name !== GAP), ...names.filter((name) => name === GAP)];
  return { rows: last(frame.rows), columns: last(frame.columns) };
}

/** The counts of a corpus over the rows and columns that are shown, without the diagonal where that is hidden. */
function counted(corpus, chosen, view, frame) {
  const values = anyOf(chosen.conditions) ? countPairs(corpus, chosen.conditions) : tableCounts(corpus);
  const own = { rows: labels(corpus, "gold"), columns: labels(corpus, "predicted"), values };
  const counts = over(own, frame, 0);
  const layer = view.layer && over(view.layer(corpus), frame, NaN);
  let diagonal = 0;
  if (chosen.diagonal) {
    for (const place of diagonalOf(frame)) {
      diagonal += counts[place];
      counts[place] = 0;
      if (layer) layer[place] = NaN;
    }
  }
  return { corpus, ...frame, counts, layer, diagonal };
}

function diagonalOf({ rows, columns }) {
  const places = rows.map((name, row) => (name === GAP ? -1 : columns.indexOf(name) + row * columns.length));
  return places.filter((place, row) => place >= row * columns.length && place >= 0);
}

/** The cells of fewer tokens than that, in all parts together. */
function rareOf(parts, least) {
  const hidden = new Set();
  parts[0].counts.forEach((_, place) => {
    if (parts.reduce((sum, { counts }) => sum + counts[place], 0) < least) hidden.add(place);
  });
  return hidden;
}

/** A view: its numbers, its colours, and how many tokens were left out. */
function finished(part, chosen, view, rare) {
  const { corpus, rows, columns, diagonal } = part;
  const [height, width] = [rows.length, columns.length];
  const hidden = new Set(rare);
  if (chosen.diagonal) for (const place of diagonalOf(part)) hidden.add(place);
  const counts = part.counts.map((count, place) => (rare.has(place) ? 0 : count));
  const values = part.layer ?? Float64Array.from(view.values({ height, width, counts, tests: chosen.tests }));
  for (const place of hidden) values[place] = NaN;
  const left = { diagonal, rare: sum(part.counts) - sum(counts), tokens: sum(counts) };
  return {
    ...view,
    key: chosen.view,
    corpora: [corpus],
    rows,
    columns,
    values,
    counts: part.counts,
    hidden,
    left,
    limit: view.limit ?? largest(values),
    marked: view.q ? markedCells(corpus[view.table], part) : new Set(),
  };
}

const sum = (values) => values.reduce((total, value) => total + value, 0);
const largest = (values) => values.reduce((most, value) => (Math.abs(value) > most ? Math.abs(value) : most), 0);

/** The cells of a table whose q is below 0.05, as places among rows and columns. */
function markedCells(table, { rows, columns }) {
  const [down, across] = [rows, columns].map((groups) => new Map(groups.map((name, place) => [name, place])));
  const marked = new Set();
  for (const { gold, predicted, q } of table) {
    const [row, column] = [down.get(gold), across.get(predicted)];
    if (q !== "" && Number(q) < LEAST_Q && row !== undefined && column !== undefined) {
      marked.add(row * columns.length + column);
    }
  }
  return marked;
}

/** The difference of two views over the same rows and columns, marked where a table tests the same shares. */
function contrast([first, second], chosen) {
  const values = difference(first.values, second.values);
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

/** The tests of the two corpora that are of the shares that are shown: of all tokens, nothing left out. */
function testsOf({ tests, corpus, other, conditions, diagonal, rare }) {
  if (anyOf(conditions) || diagonal || rare > 0) return [];
  const names = [corpus.name, other.name];
  return tests.filter((row) => names.includes(row.item) && names.includes(row.other));
}

modules["matrix/model"] = { viewsFor };
