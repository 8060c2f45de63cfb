// What the pictures show of phones: tokens, the share that is right, what else is predicted; and how they are drawn.

/** The gold phones of a corpus, in the order of the chart: { phone, tokens, accuracy, row }. */
function goldOf(corpus) {
  const rank = (phone) => page.orders.chart.indexOf(phone);
  const rows = corpus.phones.filter(({ side }) => side === "gold").sort((a, b) => rank(a.phone) - rank(b.phone));
  return rows.map((row) => ({ phone: row.phone, tokens: number(row.tokens), accuracy: number(row.accuracy), row }));
}

/** What a phone of a side is aligned with: [phone, share of all its tokens], ∅ too, the most frequent first. */
function partnersOf(corpus, side, phone) {
  const other = side === "gold" ? "predicted" : "gold";
  const own = corpus.confusions.filter((row) => row[side] === phone).map((row) => [row[other], number(row.count)]);
  const total = own.reduce((sum, [, count]) => sum + count, 0);
  const shares = own.map(([name, count]) => [name, count / total]);
  return shares.filter(([, share]) => share > 0).sort((a, b) => b[1] - a[1]);
}

/** What a gold phone is predicted as, as `partnersOf` has it, but without ∅. */
const answersOf = (corpus, phone) => partnersOf(corpus, "gold", phone).filter(([name]) => name !== GAP);

/** A share in percent, in whole ones from 1 on. */
function percent(share) {
  if (Number.isNaN(share)) return "–";
  return `${share >= 0.01 || share === 0 ? Math.round(100 * share) : Number((100 * share).toPrecision(1))} %`;
}

const watched = new Map();
const observer = new ResizeObserver((entries) => {
  for (const { target } of entries) watched.get(target)();
});

/** Draws a picture, now and whenever it has another width: `draw(width)` gives its height and its marks. */
function filling(picture, draw) {
  let width = 0;
  const fill = () => {
    const now = Math.round(picture.parentNode.clientWidth);
    if (!now || now === width) return;
    width = now;
    const held = picture.contains(document.activeElement) && document.activeElement.getAttribute("href");
    const [height, ...marks] = draw(width);
    picture.setAttribute("viewBox", `0 0 ${width} ${height}`);
    picture.replaceChildren(...marks.flat());
    [...picture.querySelectorAll("a")].find((link) => link.getAttribute("href") === held)?.focus();
  };
  watched.set(picture.parentNode, fill);
  observer.observe(picture.parentNode);
  fill();
}

/** A link in a picture to a state; its label is a title beside it, for what is seen in a link must be in its name. */
function shapeLink(state, label, look, ...marks) {
  const link = shape("a", { href: addressOf(state), "aria-label": label, ...look }, ...marks);
  return shape("g", {}, shape("title", {}, label), link);
}

/** The first of those that cost least. */
function cheapest(tried, cost) {
  const costs = tried.map(cost);
  return tried[costs.indexOf(Math.min(...costs))];
}
