// A kind of errors, such as those on phones that the recogniser lacks: the phones behind its share.

const { addressOf } = modules.address;
const { number, readTable } = modules.data;
const { byId, element, shown } = modules.elements;
const { answersOf, percent } = modules["pictures/phones"];

const WORDS = {
  absent: "on phones that the recogniser’s labels lack",
  expected: "on phones that the reference has, too",
  unexplained: "on phones without a counterpart in the reference",
  deleted: "that are deletions",
  inserted: "that are insertions",
};
const BESIDE = new Set(["expected", "level", "compared"]); // are pooled over phones, which have one number expected
const MOST = 20; // phones

/** Lists the phones behind a kind of errors, those with most errors first; hides the list where a state names none. */
async function showKind({ errors }, corpus) {
  const kind = BESIDE.has(errors) ? "expected" : errors;
  const rows = WORDS[kind] ? (await readTable(`${corpus.name}/missed.tsv`)).rows : [];
  const of = (row, name) => number(row[name]) || 0;
  const count = (row) => of(row, kind === "expected" ? "substituted" : kind);
  const phones = rows.filter((row) => count(row) > 0).sort((a, b) => count(b) - count(a));
  byId("kind").hidden = phones.length === 0;
  if (!phones.length) return;
  const total = phones.reduce((sum, row) => sum + count(row), 0);
  const all = rows.reduce((sum, row) => sum + of(row, "errors"), 0);
  byId("kind-title").textContent = `Errors ${WORDS[kind]}`;
  byId("kind-told").textContent =
    `${percent(total / all)} of all ${shown(all, 0)} errors, on ${phones.length} phones. A link shows the utterances.`;
  const words = (row) =>
    ` ${shown(count(row), 0)} errors${kind === "expected" ? ` (${shown(of(row, kind), 0)} expected)` : ""}`;
  byId("kind-list").replaceChildren(...phones.slice(0, MOST).map((row) => line(corpus, row.phone, words(row))));
}

function line(corpus, phone, words) {
  const [answer] = answersOf(corpus, phone).filter(([heard]) => heard !== phone);
  const link = element("a", { href: addressOf({ corpus: corpus.name, phone }) }, phone);
  if (!answer) return element("li", {}, link, words);
  const href = addressOf({ corpus: corpus.name, gold: phone, heard: answer[0] });
  return element("li", {}, link, `${words}, most as `, element("a", { href }, `${answer[0]} ${percent(answer[1])}`));
}

modules["matrix/kinds"] = { showKind };
