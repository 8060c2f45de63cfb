// What the matrix can show: a view is how the numbers of its cells are made (of counts, or the column of a table, its
// layer), what they are, and when there are none.

const { GAP } = modules.data;

const VIEWS = {
  probability: {
    title: "p(predicted | gold)",
    unit: "share of the gold phone’s tokens, deleted ones included; in the row ∅, of all insertions",
    values: rowShares,
  },
  counts: {
    title: "Counts",
    unit: "tokens",
    values: ({ counts }) => counts,
  },
  reverse: {
    title: "p(gold | predicted)",
    unit: "share of the predicted phone’s tokens, inserted ones included; in the column ∅, of all deletions",
    values: columnShares,
  },
  excess: {
    title: "Excess over the reference",
    unit: "observed less expected, as shares of all pairs of the phones in common; where both phones are the same: kept right more or less often",
    diverging: true,
    table: "expected",
    layer: (corpus) => fromTable(corpus.expected, "predicted", "residual"),
    q: "q",
    missing: (corpus) => corpus.expected.length === 0 && "no reference language",
  },
  association: {
    title: "NPMI of the posteriors",
    unit: "−1: never together, 0: as often as by chance, 1: only together; columns are phones of the posteriors",
    diverging: true,
    limit: 1,
    below: 0.4, // paler: what is seldom together is no finding
    table: "association",
    layer: (corpus) => fromTable(corpus.association, "recognised", "npmi"),
    missing: (corpus) => corpus.association.length === 0 && "no posteriors",
  },
  sounds: {
    title: "What it sounds like, by the posteriors",
    unit: "share of the gold phone’s frames, silence and blank left out; columns are phones of the posteriors",
    table: "sounds",
    layer: (corpus) => fromTable(corpus.sounds, "recognised", "probability"),
    missing: (corpus) => corpus.sounds.length === 0 && "no forced times",
  },
  difference: {
    title: "Difference of p(predicted | gold, not deleted)",
    unit: "the first corpus less the second, over the gold phones that both have; in the column ∅, of all tokens",
    diverging: true,
    values: ({ tests, ...shape }) =>
      rowShares({ ...shape, answered: !tests.some(({ predicted }) => predicted === GAP) }),
    better: (gold, predicted) => (gold === GAP ? 0 : gold === predicted ? 1 : -1), // more of it is better, 1, or worse, −1
    two: true, // as the table of a comparison has it: with ∅ among the answers only where that is an answer there
  },
};

/** [key, title, why there is none or false] of each view, for one corpus or two, of a speaker or of all. */
function viewsOf(corpora, speaker) {
  return Object.entries(VIEWS).map(([key, view]) => {
    const lacking = corpora.map((corpus) => view.missing?.(corpus)).find(Boolean);
    const alone = view.two && corpora.length < 2 && "choose a second corpus";
    const none = lacking || alone || (speaker && view.table && "of all tokens only");
    return [key, none ? `${view.title} (${none})` : view.title, none];
  });
}

/** The share of a row's tokens, deleted ones too, or, `answered`, without them but in the column ∅; NaN for none. */
function rowShares({ counts, height, width, answered = false }) {
  const shares = new Float64Array(counts.length).fill(NaN);
  for (let row = 0; row < height; row++) {
    const own = counts.subarray(row * width, (row + 1) * width);
    const all = own.reduce((sum, count) => sum + count, 0);
    const end = row === height - 1 ? width - 1 : width; // nothing is aligned with nothing
    for (let column = 0; column < end; column++) {
      const whole = answered && column < width - 1 ? all - own[width - 1] : all;
      if (whole) shares[row * width + column] = own[column] / whole;
    }
  }
  return shares;
}

/** The share of a column's tokens. */
function columnShares({ counts, height, width }) {
  const turned = transposed(counts, height, width);
  return transposed(rowShares({ counts: turned, height: width, width: height }), width, height);
}

function transposed(values, height, width) {
  return values.map((_, place) => values[(place % height) * width + Math.floor(place / height)]);
}

/** A column of a long table by its gold phones and the phones of another column, NaN where it has none. */
function fromTable(table, column, name) {
  const [rows, columns] = ["gold", column].map((side) => [...new Set(table.map((line) => line[side]))]);
  const values = new Float64Array(rows.length * columns.length).fill(NaN);
  for (const line of table) {
    if (line[name] !== "")
      values[rows.indexOf(line.gold) * columns.length + columns.indexOf(line[column])] = Number(line[name]);
  }
  return { rows, columns, values };
}

modules["matrix/views"] = { VIEWS, viewsOf };
