// Shows the state that the address holds: the chosen corpus in every section. Without scripts the page still shows its
// findings, its numbers and their definitions.

const { both, byId, calibration, change, chooser, chosenCorpus, completed, consonants, cut, differences } = shared;
const { first, followAddress, map, matrix, noteShown, numbers, openCorpus, page, phones, readWords } = shared;
const { sectionOf, showPairs, tables, unknownIn, utterances, vowels } = shared;

/** The findings on the chosen corpus; without scripts, and in print, those on all. */
const findings = { id: "findings", keys: [], show: showOwn };
const further = { id: "further", keys: [], show: showOwn, place: ({ part }) => byId(`further-${part}`) };
const PICTURES = [vowels, consonants, phones, map, calibration];
const OF_RESULTS = [first, findings, matrix, ...PICTURES, utterances, further, numbers, tables]; // each: the names of the state that it shows, and how
const OF_COMPARISON = [differences, matrix, both, tables];
const SECTIONS = (page.pairs.length ? OF_COMPARISON : OF_RESULTS).filter(({ id }) => byId(`${id}-section`));
const OF_THE_CORPUS = [
  ...["gold", "predicted", "from", "speaker", "partners"],
  ...["phone", "utterance", "search", "by", "errors"],
]; // names of the state that another corpus may not have
const LONGEST = 24; // letters of a corpus' title
const shownKeys = new Map();

/** Shows a state; who arrived by an address that names a place of it is taken there, all others stay where they are. */
async function show(given, arrived) {
  let state = completed(given);
  const corpus = await openCorpus(chosenCorpus(state));
  const [section, top] = sectionInSight();
  if (page.pairs.length) showPairs(state);
  else {
    const unknown = unknownIn(state, corpus);
    byId("unknown").hidden = !unknown;
    byId("unknown").textContent = unknown;
    if (state.corpus && state.corpus !== corpus.name) state = without(OF_THE_CORPUS, state);
    noteShown({ corpus: corpus.name });
    showCorpus(corpus);
  }
  const at = sectionOf(given);
  const wanted = SECTIONS.filter(({ id }) => id === at);
  await Promise.all([...new Set([...wanted, ...SECTIONS])].map((each) => showSection(each, state, corpus)));
  for (const link of document.querySelectorAll("#sections a:not([href*='='])"))
    link.hidden = !placeOf(link)?.offsetHeight;
  if (arrived && at) arrive(at, state);
  else if (section && scrollY > 0) scrollBy(0, section.getBoundingClientRect().top - top);
  markSection();
}

const without = (names, state) => Object.fromEntries(Object.entries(state).filter(([name]) => !names.includes(name)));

/** Names the corpus in titles and in the menu, which chooses another. */
function showCorpus({ name, title }) {
  const titles = page.corpora.map((each) => [each.name, cut(each.title, LONGEST)]);
  const nothing = Object.fromEntries(OF_THE_CORPUS.map((each) => [each, ""]));
  const choose = (corpus) => change({ ...nothing, corpus }, { step: true });
  byId("tabs").hidden = titles.length < 2;
  byId("tabs").replaceChildren(chooser(titles, name, choose, { "aria-label": "Corpus" }));
  for (const place of document.querySelectorAll(".of-corpus")) place.textContent = cut(title, LONGEST);
}

const placeOf = (link) => byId(link.hash.slice(1));

/** The section of the bar that begins above a quarter of the window, the last of them, and its top. */
function sectionInSight() {
  const places = [...document.querySelectorAll("#sections a:not([hidden])")].map(placeOf).filter(Boolean);
  const tops = places.map((place) => place.getBoundingClientRect().top);
  const at = tops.findLastIndex((top) => top < innerHeight / 4);
  return [places[at], tops[at]];
}

/** Marks the link of the section in sight, at the page's end of the one asked for, and moves it into sight itself. */
function markSection() {
  const isEnd = scrollY + innerHeight > document.documentElement.scrollHeight - 2;
  const [bar, [section]] = [byId("sections"), sectionInSight()];
  const links = [...bar.querySelectorAll("a")];
  const here =
    (isEnd && links.find(({ hash }) => hash === location.hash)) || links.find((link) => placeOf(link) === section);
  for (const link of links) {
    if ((link === here) === link.hasAttribute("aria-current")) continue;
    if (link !== here) link.removeAttribute("aria-current");
    else {
      link.setAttribute("aria-current", "true");
      bar.scrollLeft = link.offsetLeft - bar.clientWidth / 2;
    }
  }
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
