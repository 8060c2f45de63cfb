// What the matrix can show: a view is how the numbers of its cells are made (of counts, or of a column of a table), what
// they are, and when there are none.

const VIEWS = {
  probability: {
    title: "p(predicted | gold)",
    unit: "share of the gold phone’s tokens, deleted ones included; in the row ∅, of all insertions",
    values: ({ counts, height, width }) => lineShares(counts, height, width, (row, column) => row * width + column),
  },
  counts: {
    title: "Counts",
    unit: "tokens",
    values: ({ counts }) => counts,
  },
  reverse: {
    title: "p(gold | predicted)",
    unit: "share of the predicted phone’s tokens, inserted ones included; in the column ∅, of all deletions",
    values: ({ counts, height, width }) => lineShares(counts, width, height, (column, row) => row * width + column),
  },
  excess: {
    title: "Excess over the reference",
    unit: "observed less expected, as shares of all pairs of the phones in common; where both phones are the same: kept right more or less often",
    diverging: true,
    table: ["expected", "predicted", "residual"], // its name, whose phones are columns, what cells show
    q: true,
    missing: "no reference language",
  },
  association: {
    title: "NPMI of the posteriors",
    unit: "−1: never together, 0: as often as by chance, 1: only together; columns are phones of the posteriors",
    diverging: true,
    limit: 1,
    below: 0.4, // paler: what is seldom together is no finding
    table: ["association", "recognised", "npmi"],
    missing: "no posteriors",
  },
  sounds: {
    title: "What it sounds like, by the posteriors",
    unit: "share of the gold phone’s frames, silence and blank left out; columns are phones of the posteriors",
    table: ["sounds", "recognised", "probability"],
    missing: "no forced times",
  },
  difference: {
    title: "Difference of p(predicted | gold, not deleted)",
    unit: "the first corpus less the second, over the gold phones that both have; in the column ∅, of all tokens",
    diverging: true,
    values: ({ counts, height, width, tests }) => {
      const isAnswer = tests.some(({ predicted }) => predicted === GAP);
      return lineShares(counts, height, width, (row, column) => row * width + column, !isAnswer);
    },
    better: (gold, predicted) => (gold === GAP ? 0 : gold === predicted ? 1 : -1), // more of it is better, 1, or worse, −1
    two: true, // as the table of a comparison has it: with ∅ among the answers only where that is an answer there
  },
};

/** [key, title, why there is none or false] of each view, for one corpus or two, of a speaker or of all. */
function viewsOf(corpora, speaker) {
  return Object.entries(VIEWS).map(([key, view]) => {
    const lacking = view.table && corpora.some((corpus) => !corpus[view.table[0]].length) && view.missing;
    const alone = view.two && corpora.length < 2 && "choose a second corpus";
    const none = lacking || alone || (speaker && view.table && "of all tokens only");
    return [key, none ? `${view.title} (${none})` : view.title, none];
  });
}

/** The share of a line's tokens, ∅ among them, or, `answered`, without ∅ but in the place of ∅; NaN for none. */
function lineShares(counts, lines, places, at, answered = false) {
  const shares = new Float64Array(counts.length).fill(NaN);
  for (let line = 0; line < lines; line++) {
    const own = Array.from({ length: places }, (_, place) => counts[at(line, place)]);
    const all = own.reduce((sum, count) => sum + count, 0);
    for (const [place, count] of own.entries()) {
      const isGap = place === places - 1;
      const whole = answered && !isGap ? all - own.at(-1) : all;
      if (whole && !(isGap && line === lines - 1)) shares[at(line, place)] = count / whole; // nothing is aligned with nothing
    }
  }
  return shares;
}
