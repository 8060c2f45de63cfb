// What the matrix can show: a view is how the numbers of its cells are made, what they are, and when there are none.

const { GAP } = modules.data;
const { fromTable } = modules["matrix/frame"];
const { columnShares, rowShares } = modules["matrix/measures"];

const VIEWS = {
  probability: {
    title: "p(predicted | gold)",
    without: "deleted",
    unit: (corpus) =>
      gapIsSymbol(corpus)
        ? "share of the gold phone’s tokens"
        : "share of the gold phone’s tokens that were not deleted; in the column ∅, of all its tokens; in the row ∅, of all insertions",
    shares: true,
    values: rowShares,
  },
  counts: {
    title: "Counts",
    unit: () => "tokens",
    values: ({ counts }) => counts,
  },
  reverse: {
    title: "p(gold | predicted)",
    without: "inserted",
    unit: (corpus) =>
      gapIsSymbol(corpus)
        ? "share of the predicted phone’s tokens"
        : "share of the predicted phone’s tokens that were not inserted; in the row ∅, of all its tokens; in the column ∅, of all deletions",
    shares: true,
    values: columnShares,
  },
  excess: {
    title: "Excess over the reference",
    unit: () =>
      "observed less expected, as shares of all pairs of the phones in common; where both phones are the same: kept right more or less often",
    diverging: true,
    table: "expected",
    layer: (corpus) => fromTable(corpus.expected, "gold", "predicted", "residual"),
    values: ({ layer }) => layer,
    q: "q",
    missing: (corpus) => corpus.expected.length === 0 && "no reference language",
  },
  npmi: {
    title: "NPMI of the alignment",
    unit: () => "0: as often as by chance, 1: only together; where there is no number, they are never together",
    diverging: true,
    limit: 1,
    below: 0.4, // of the colour: what is seldom together is no finding
    table: "confusions",
    layer: (corpus) => fromTable(corpus.confusions, "gold", "predicted", "npmi"),
    values: ({ layer }) => layer,
  },
  association: {
    title: "NPMI of the posteriors",
    unit: () => "−1: never together, 0: as often as by chance, 1: only together; columns are phones of the posteriors",
    diverging: true,
    limit: 1,
    below: 0.4, // of the colour: what is seldom together is no finding
    table: "association",
    layer: (corpus) => fromTable(corpus.association, "gold", "recognised", "npmi"),
    values: ({ layer }) => layer,
    missing: (corpus) => corpus.association.length === 0 && "no posteriors",
  },
  sounds: {
    title: "What it sounds like, by the posteriors",
    unit: () => "share of the gold phone’s frames, silence and blank left out; columns are phones of the posteriors",
    table: "sounds",
    layer: (corpus) => fromTable(corpus.sounds, "gold", "recognised", "probability"),
    values: ({ layer }) => layer,
    missing: (corpus) => corpus.sounds.length === 0 && "no forced times",
  },
  difference: {
    title: "Difference of p(predicted | gold)",
    unit: () => "the first corpus less the second, over the gold phones that both have",
    diverging: true,
    shares: true,
    values: rowShares,
    two: true,
  },
};

/** Whether ∅ is a symbol of probabilities: then its cells have a joint one. */
const gapIsSymbol = (corpus) =>
  corpus.confusions.some((row) => (row.gold === GAP || row.predicted === GAP) && row.p_joint !== "");

/** A view's title; of shares it says what they leave out. */
const titleOf = ({ title, without }, corpus) =>
  without && !gapIsSymbol(corpus) ? title.replace(")", `, not ${without})`) : title;

/** [key, title, why there is none or false] of each view, for one corpus or two, under conditions or none. */
function viewsOf(corpora, conditioned) {
  return Object.entries(VIEWS).map(([key, view]) => {
    const lacking = corpora.map((corpus) => view.missing?.(corpus)).find(Boolean);
    const alone = view.two && corpora.length < 2 && "choose a second corpus";
    const none = lacking || alone || (conditioned && view.table && "of all tokens only");
    const title = titleOf(view, corpora[0]);
    return [key, none ? `${title} (${none})` : title, none];
  });
}

modules["matrix/views"] = { gapIsSymbol, titleOf, VIEWS, viewsOf };
