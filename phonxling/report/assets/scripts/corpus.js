// One corpus of the page: its phones, its confusions, its alignments.

/** The name of the corpus that a state chooses: the first target where it names none that there is. */
function chosenCorpus(state) {
  const known = page.corpora.find(({ name }) => name === state.corpus);
  return (known ?? page.corpora.find(({ role }) => role === "target") ?? page.corpora[0]).name;
}

/** What an address names and the page does not have: a corpus, a phone, an utterance, a table, a view; "" for none. */
function unknownIn(state, shown) {
  if (state.corpus && state.corpus !== shown.name)
    return `This page has no corpus “${state.corpus}”. It shows ${shown.title}.`;
  const recognised = [...shown.association, ...shown.sounds].map((row) => row.recognised);
  const known = { gold: labels(shown, "gold"), predicted: [...labels(shown, "predicted"), ...recognised] };
  const isLacking = (values) => (name) => state[name] && !values[name].includes(state[name]);
  const side = Object.keys(known).find(isLacking(known));
  if (side) return `${shown.title} has no ${side} phone “${state[side]}”.`;
  const values = {
    phone: Object.values(known).flat(),
    utterance: shown.alignments.ids,
    table: Object.keys(page.tables),
    other: page.corpora.map((one) => one.name),
    view: Object.keys(VIEWS),
  };
  const wrong = Object.keys(values).find(isLacking(values));
  return wrong ? `This page has no ${wrong} “${state[wrong]}”.` : "";
}

/** The corpus of that name, read once. */
const openCorpus = once(async (name) => {
  const corpus = { ...page.corpora.find((one) => one.name === name) };
  for (const kind of ["phones", "confusions", "expected", "association", "sounds"])
    corpus[kind] = (await readTable(`${name}/${kind}`)).rows;
  return { ...corpus, alignments: await readAlignments(corpus.alignments) };
});

/** The labels of a side, the gap last. */
const labels = (corpus, side) => [...corpus[side], GAP];
