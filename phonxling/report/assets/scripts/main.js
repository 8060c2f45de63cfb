// Shows the state that the address holds: the chosen corpus in every section. Without scripts the page still shows its
// findings, its numbers and their definitions.

const { followAddress, noteShown, sectionOf } = modules.address;
const { both } = modules["comparison/both"];
const { completed, showPairs } = modules["comparison/pairs"];
const { chosenCorpus, openCorpus, unknownIn } = modules.corpus;
const { page, readWords } = modules.data;
const { byId } = modules.elements;
const { first } = modules.first;
const { map } = modules["map/section"];
const { matrix } = modules["matrix/section"];
const { numbers } = modules["numbers/section"];
const { tables } = modules["numbers/tables"];
const { phones } = modules["phones/section"];
const { calibration } = modules["pictures/calibration"];
const { consonants } = modules["pictures/consonants"];
const { vowels } = modules["pictures/vowels"];
const { markSection, showTabs, withoutCorpus } = modules.tabs;
const { utterances } = modules["utterances/section"];

/** The findings on the chosen corpus; without scripts, and in print, those on all. */
const findings = { id: "findings", keys: [], show: showOwn };
const further = { id: "further", keys: [], show: showOwn, place: ({ part }) => byId(`further-${part}`) };
const PICTURES = [vowels, consonants, phones, map, calibration];
const OF_RESULTS = [first, findings, matrix, ...PICTURES, utterances, further, numbers, tables]; // each: the names of the state that it shows, and how
const OF_COMPARISON = [matrix, both, tables];
const SECTIONS = (page.pairs.length ? OF_COMPARISON : OF_RESULTS).filter(({ id }) => byId(`${id}-section`));
const shownKeys = new Map();

/** Shows a state: the section that it leads to first. */
async function show(given, arrived) {
  let state = completed(given);
  const corpus = await openCorpus(chosenCorpus(state));
  if (!page.pairs.length) {
    const unknown = unknownIn(state, corpus);
    byId("unknown").hidden = !unknown;
    byId("unknown").textContent = unknown;
    if (state.corpus && state.corpus !== corpus.name) state = withoutCorpus(state);
    noteShown({ corpus: corpus.name });
  }
  const at = sectionOf(given);
  if (page.pairs.length) showPairs(state);
  else showTabs(corpus, state);
  const wanted = SECTIONS.filter((section) => section.id === at);
  await Promise.all([...new Set([...wanted, ...SECTIONS])].map((section) => showSection(section, state, corpus)));
  for (const link of document.querySelectorAll("#sections a")) link.hidden = byId(link.hash.slice(1))?.hidden ?? true;
  markSection();
  if (arrived) arrive(at, state);
}

/** Shows a section where something of it has changed. */
async function showSection(section, state, corpus) {
  const key = JSON.stringify([corpus.name, ...section.keys.map((name) => state[name] ?? "")]);
  if (shownKeys.get(section) === key) return;
  shownKeys.set(section, key);
  await section.show(state, corpus);
}

/** Takes the reader to a section, and to the place in it that the section gives. */
function arrive(at, state) {
  const section = SECTIONS.find(({ id }) => id === at);
  const place = section?.place?.(state) ?? byId(`${at}-section`);
  const folded = place?.closest("details");
  if (folded) folded.open = true;
  place?.scrollIntoView();
  const title = byId(section?.heading?.(state) ?? place?.getAttribute("aria-labelledby"));
  title?.setAttribute("tabindex", "-1");
  title?.focus({ preventScroll: true });
}

function showOwn(_, corpus) {
  for (const article of document.querySelectorAll("#findings-section article, #further-section article, .sampled"))
    article.hidden = article.dataset.corpus !== corpus.name;
}

/** Opens what an address such as #def-wper names where it is folded; says when the file was written. */
function prepare() {
  const open = () => {
    const folded = location.hash.includes("=") ? null : byId(location.hash.slice(1))?.closest("details");
    if (!folded || folded.open) return;
    folded.open = true;
    byId(location.hash.slice(1)).scrollIntoView();
  };
  addEventListener("hashchange", open);
  open();
  addEventListener("scroll", () => requestAnimationFrame(markSection), { passive: true });
  document.addEventListener("click", ({ target }) => target.closest("button.back") && history.back());
  const written = new Date(document.lastModified);
  const day = written.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
  if (location.protocol === "file:" && byId("written")) byId("written").textContent = `, written on ${day}`;
}

prepare();
await readWords();
await followAddress(show);
