// A kind of errors, such as those on phones that the recogniser lacks: the phones behind its share.

const { addressOf, answersOf, byId, element, number, percent, plain, readTable } = shared;

const WORDS = {
  absent: "on phones that the recogniser’s labels lack",
  substituted: "on phones that the reference has, too",
  unexplained: "on phones without a counterpart in the reference",
  deleted: "that are deletions",
  inserted: "that are insertions",
};
const POOLED = new Set(["expected", "level", "compared"]); // parts of the substituted, by one number over all phones
const MOST = 20; // phones

/** Lists the phones behind a kind of errors, those with most errors first; hides the list where a state names none. */
async function showKind({ errors }, corpus) {
  const kind = POOLED.has(errors) ? "substituted" : errors;
  const every = WORDS[kind] ? (await readTable(`${corpus.name}/errors`)).rows : [];
  const of = (reason) => every.filter((row) => row.reason === reason && number(row.count) > 0);
  const phones = of(kind).sort((a, b) => number(b.count) - number(a.count));
  byId("kind").hidden = phones.length === 0;
  if (!phones.length) return;
  const sum = (rows) => rows.reduce((total, row) => total + number(row.count), 0);
  const all = sum(Object.keys(WORDS).flatMap(of));
  byId("kind-title").textContent = `Errors ${WORDS[kind]}`;
  byId("kind-told").textContent =
    `${percent(sum(phones) / all)} of all ${plain(all)} errors, on ${phones.length} phones. A link shows the utterances.`;
  const usual = new Map(of("expected").map(({ gold, count }) => [gold, number(count)]));
  const words = ({ gold, count }) =>
    ` ${plain(number(count))} errors${kind === "substituted" ? ` (${plain(Math.round(usual.get(gold) ?? 0))} expected)` : ""}`;
  byId("kind-list").replaceChildren(...phones.slice(0, MOST).map((row) => line(corpus, row.gold, words(row))));
}

function line(corpus, phone, words) {
  const [answer] = answersOf(corpus, phone).filter(([predicted]) => predicted !== phone);
  const link = element("a", { href: addressOf({ corpus: corpus.name, phone }) }, phone);
  if (!answer) return element("li", {}, link, words);
  const href = addressOf({ corpus: corpus.name, gold: phone, predicted: answer[0] });
  return element("li", {}, link, `${words}, most as `, element("a", { href }, `${answer[0]} ${percent(answer[1])}`));
}

Object.assign(shared, { showKind });
