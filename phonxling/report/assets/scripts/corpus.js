// One corpus of the page: its phones, its confusions, its alignments.

const { GAP, page, readAlignments, readTable, VIEWS } = shared;

const loaded = new Map();

/** The name of the corpus that a state chooses: the first target where it names none that there is. */
function chosenCorpus(state) {
  const known = page.corpora.find(({ name }) => name === state.corpus);
  return (known ?? page.corpora.find(({ role }) => role === "target") ?? page.corpora[0]).name;
}

/** What an address names and the page does not have: a corpus, a phone, an utterance, a table, a view; "" for none. */
function unknownIn(state, shown) {
  const { corpus, gold, predicted } = state;
  if (corpus && corpus !== shown.name) return `This page has no corpus “${corpus}”. It shows ${shown.title}.`;
  const recognised = [...shown.association, ...shown.sounds].map((row) => row.recognised);
  const known = { gold: labels(shown, "gold"), predicted: [...labels(shown, "predicted"), ...recognised] };
  const lacking = Object.entries({ gold, predicted }).find(([side, phone]) => phone && !known[side].includes(phone));
  if (lacking) return `${shown.title} has no ${lacking[0]} phone “${lacking[1]}”.`;
  const values = {
    phone: [...known.gold, ...known.predicted],
    utterance: shown.alignments.ids,
    table: Object.keys(page.tables),
    other: page.corpora.map((one) => one.name),
    view: Object.keys(VIEWS),
  };
  const wrong = Object.keys(values).find((name) => state[name] && !values[name].includes(state[name]));
  return wrong ? `This page has no ${wrong} “${state[wrong]}”.` : "";
}

/** The corpus of that name, read once. */
async function openCorpus(name) {
  if (!loaded.has(name)) loaded.set(name, await read(name));
  return loaded.get(name);
}

async function read(name) {
  const about = page.corpora.find((corpus) => corpus.name === name);
  const table = async (kind) => (await readTable(`${name}/${kind}`)).rows;
  const [phones, confusions, expected, association, sounds] = await Promise.all(
    ["phones", "confusions", "expected", "association", "sounds"].map(table),
  );
  const alignments = await readAlignments(about.alignments);
  return { ...about, phones, confusions, expected, association, sounds, alignments };
}

/** The labels of a side, the gap last. */
const labels = (corpus, side) => [...corpus[side], GAP];

Object.assign(shared, { chosenCorpus, labels, openCorpus, unknownIn });
