// A kind of errors, such as those on phones that the recogniser lacks: the phones behind its share.

const WORDS = {
  absent: "on phones that the recogniser’s labels lack",
  substituted: "on phones that the reference has, too",
  unexplained: "that are confusions with nothing to compare",
  deleted: "that are deletions",
  inserted: "that are insertions",
};
const POOLED = new Set(["expected", "level", "compared"]); // parts of the substituted, by one number over all phones
const MOST_PHONES = 20; // phones

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
  const line = ({ gold: phone, count }) => {
    const expected = kind === "substituted" ? ` (${plain(Math.round(usual.get(phone) ?? 0))} expected)` : "";
    const made = element("li", {}, linkTo({ corpus: corpus.name, phone }, phone));
    made.append(` ${plain(number(count))} errors${expected}`);
    const [predicted, share] = answersOf(corpus, phone).find(([other]) => other !== phone) ?? [];
    const cell = { corpus: corpus.name, gold: phone, predicted };
    if (predicted) made.append(", most as ", linkTo(cell, `${predicted} ${percent(share)}`));
    return made;
  };
  byId("kind-list").replaceChildren(...phones.slice(0, MOST_PHONES).map(line));
}
