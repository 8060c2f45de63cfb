// What the pictures show of phones: tokens, the share that is right, what else is predicted.

const { GAP, number, page } = modules.data;

const FEW = page.few; // tokens; a phone with fewer is hatched

const known = new Map();

/** The gold phones of a corpus, in the order of the chart: { phone, tokens, accuracy, row }. */
function goldOf(corpus) {
  const rank = new Map((page.orders.chart ?? []).map((phone, place) => [phone, place]));
  const rows = corpus.phones.filter(({ side }) => side === "gold");
  const made = rows.map((row) => ({
    phone: row.phone,
    tokens: number(row.tokens),
    accuracy: number(row.accuracy),
    row,
  }));
  return made.sort((a, b) => (rank.get(a.phone) ?? rank.size) - (rank.get(b.phone) ?? rank.size));
}

/** What a gold phone is predicted as: [phone, share of all its tokens, deleted ones too], the most frequent first. */
function answersOf(corpus, phone) {
  if (!known.has(corpus.name)) known.set(corpus.name, byGold(corpus));
  return known.get(corpus.name).get(phone) ?? [];
}

function byGold(corpus) {
  const answers = new Map();
  for (const { gold, predicted, count } of corpus.confusions) {
    if (!answers.has(gold)) answers.set(gold, []);
    answers.get(gold).push([predicted, number(count)]);
  }
  for (const [gold, own] of answers) {
    const total = own.reduce((sum, [, count]) => sum + count, 0);
    const shares = own.map(([phone, count]) => [phone, count / total]);
    answers.set(
      gold,
      shares.filter(([phone]) => phone !== GAP).sort((a, b) => b[1] - a[1]),
    );
  }
  return answers;
}

/** A share in percent, in whole ones from 1 on. */
const percent = (share) =>
  Number.isNaN(share)
    ? "–"
    : `${share >= 0.01 || share === 0 ? Math.round(100 * share) : Number((100 * share).toPrecision(1))} %`;

/** Links to the PDF of a figure, where the results' folder has it. */
function pictureLink(name, corpus) {
  const own = page.pictures[corpus.name]?.includes(name);
  for (const link of document.querySelectorAll(`a[data-figure="${name}"]`)) {
    link.hidden = !own && !page.pictures[""]?.includes(name);
    link.href = `figures/${own ? `${encodeURIComponent(corpus.name)}-` : ""}${name}.pdf`;
  }
}

modules["pictures/phones"] = { answersOf, FEW, goldOf, percent, pictureLink };
