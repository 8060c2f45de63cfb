// What the matrix can show: a view is how the numbers of its cells are made (of counts, or the column of a table, its
// layer), what they are, and when there are none.

const { GAP } = modules.data;
const { fromTable } = modules["matrix/frame"];
const { columnShares, rowShares } = modules["matrix/measures"];

const NPMI = { diverging: true, limit: 1, below: 0.4 }; // below 0 paler: what is seldom together is no finding

const VIEWS = {
  probability: {
    title: "p(predicted | gold)",
    unit: "share of the gold phone’s tokens, deleted ones included; in the row ∅, of all insertions",
    shares: true,
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
    shares: true,
    values: columnShares,
  },
  excess: {
    title: "Excess over the reference",
    unit: "observed less expected, as shares of all pairs of the phones in common; where both phones are the same: kept right more or less often",
    diverging: true,
    table: "expected",
    layer: (corpus) => fromTable(corpus.expected, "gold", "predicted", "residual"),
    q: "q",
    missing: (corpus) => corpus.expected.length === 0 && "no reference language",
  },
  npmi: {
    title: "NPMI of the alignment",
    unit: "0: as often as by chance, 1: only together; where there is no number, they are never together",
    ...NPMI,
    table: "confusions",
    layer: (corpus) => fromTable(corpus.confusions, "gold", "predicted", "npmi"),
  },
  association: {
    title: "NPMI of the posteriors",
    unit: "−1: never together, 0: as often as by chance, 1: only together; columns are phones of the posteriors",
    ...NPMI,
    table: "association",
    layer: (corpus) => fromTable(corpus.association, "gold", "recognised", "npmi"),
    missing: (corpus) => corpus.association.length === 0 && "no posteriors",
  },
  sounds: {
    title: "What it sounds like, by the posteriors",
    unit: "share of the gold phone’s frames, silence and blank left out; columns are phones of the posteriors",
    table: "sounds",
    layer: (corpus) => fromTable(corpus.sounds, "gold", "recognised", "probability"),
    missing: (corpus) => corpus.sounds.length === 0 && "no forced times",
  },
  difference: {
    title: "Difference of p(predicted | gold, not deleted)",
    unit: "the first corpus less the second, over the gold phones that both have; in the column ∅, of all tokens",
    diverging: true,
    shares: true,
    values: ({ tests, ...shape }) => rowShares({ ...shape, heard: !tests.some(({ predicted }) => predicted === GAP) }),
    two: true, // as the table of a comparison has it: with ∅ among the answers only where that is an answer there
  },
};

/** [key, title, why there is none or false] of each view, for one corpus or two, under conditions or none. */
function viewsOf(corpora, conditioned) {
  return Object.entries(VIEWS).map(([key, view]) => {
    const lacking = corpora.map((corpus) => view.missing?.(corpus)).find(Boolean);
    const alone = view.two && corpora.length < 2 && "choose a second corpus";
    const none = lacking || alone || (conditioned && view.table && "of all tokens only");
    return [key, none ? `${view.title} (${none})` : view.title, none];
  });
}

modules["matrix/views"] = { VIEWS, viewsOf };
