// A kind of errors, such as those on phones that the recogniser lacks: the phones behind its share.

const { addressOf } = modules.address;
const { number, readTable } = modules.data;
const { byId, element, shown } = modules.elements;
const { answersOf, percent } = modules["pictures/phones"];

const WORDS = {
  absent: "on phones that the recogniser lacks",
  expected: "that the reference has, too",
  level: "that exceed the number of errors in the reference",
  pattern: "of other kinds than in the reference",
  unattested: "on phones that the reference does not have",
  confused: "that are confusions with another phone",
  deleted: "that are deletions",
  inserted: "that are insertions",
};
const PARTS = { confused: ["expected", "level", "pattern"] }; // of which it is the sum where a reference splits it
const MOST = 20; // phones

/** Lists the phones behind a kind of errors, those with most errors first; hides the list where a state names none. */
async function showKind({ errors }, corpus) {
  const rows = WORDS[errors] ? (await readTable(`${corpus.name}/missed.tsv`)).rows : [];
  const of = (row, kind) => number(row[kind]) || 0;
  const count = (row) => of(row, errors) || (PARTS[errors] ?? []).reduce((sum, part) => sum + of(row, part), 0);
  const phones = rows.filter((row) => count(row) > 0).sort((a, b) => count(b) - count(a));
  byId("kind").hidden = phones.length === 0;
  if (!phones.length) return;
  const total = phones.reduce((sum, row) => sum + count(row), 0);
  const all = rows.reduce((sum, row) => sum + of(row, "errors"), 0);
  byId("kind-title").textContent = `Errors ${WORDS[errors]}`;
  byId("kind-told").textContent =
    `${percent(total / all)} of all ${shown(all, 0)} errors, on ${phones.length} phones. A link shows the utterances.`;
  byId("kind-list").replaceChildren(...phones.slice(0, MOST).map((row) => line(corpus, row.phone, count(row))));
}

function line(corpus, phone, count) {
  const [answer] = answersOf(corpus, phone).filter(([heard]) => heard !== phone);
  const link = element("a", { href: addressOf({ corpus: corpus.name, phone }) }, phone);
  if (!answer) return element("li", {}, link, ` ${shown(count, 0)} errors`);
  const href = addressOf({ corpus: corpus.name, gold: phone, heard: answer[0] });
  return element(
    "li",
    {},
    link,
    ` ${shown(count, 0)} errors, most as `,
    element("a", { href }, `${answer[0]} ${percent(answer[1])}`),
  );
}

modules["matrix/kinds"] = { showKind };
