// Shows the state that the address holds: the chosen corpus in every section. Without scripts the page still shows its
// findings, its numbers and their definitions.

const MATRIX_NAMES = [...FIELDS, "gold", "predicted", "from", "errors"];
const matrix = { id: "matrix", keys: MATRIX_NAMES, show: showMatrix, place: placeOfCell, heading: headingOfCell };
const tables = { id: "tables", keys: ["table"], show: showTables };
/** Each section: the names of the state that it shows, and how; where in it a state leads, and to which title. */
const OF_RESULTS = [
  { id: "first", keys: ["first"], show: showFirst },
  { id: "findings", show: showOwn }, // of the chosen corpus; without scripts, and in print, of all
  matrix,
  { id: "vowels", show: showVowels },
  { id: "consonants", show: showConsonants },
  { id: "phones", keys: ["phone"], show: showPhones, place: placeOfPhone },
  { id: "map", keys: ["phone"], show: showMap },
  { id: "calibration", show: showCalibration },
  { id: "utterances", keys: ["utterance", "search", "sort", "by"], show: showUtterances, place: placeOfUtterance },
  { id: "further", show: showOwn, place: ({ part }) => byId(`further-${part}`) },
  { id: "numbers", keys: ["measure"], show: markMeasure, place: placeOfMeasure },
  tables,
];
const OF_COMPARISON = [
  { id: "findings", keys: ["other"], show: showDifferences },
  matrix,
  { id: "utterances", keys: ["other", "search"], show: showBoth },
  tables,
];
const SECTIONS = (page.pairs.length ? OF_COMPARISON : OF_RESULTS).filter(({ id }) => byId(`${id}-section`));
/** Names of the state that another corpus may not have. */
const OF_THE_CORPUS = "gold predicted from speaker partners phone utterance search by errors".split(" ");
const shownKeys = new Map();

/** Shows a state; who arrived by an address that names a place of it is taken there, all others stay where they are. */
async function showState(given, arrived) {
  let state = completed(given);
  const corpus = await openCorpus(chosenCorpus(state));
  const [section, top] = sectionInSight();
  if (page.pairs.length) showPairs(state);
  else {
    const unknown = unknownIn(state, corpus);
    byId("unknown").hidden = !unknown;
    byId("unknown").textContent = unknown;
    if (state.corpus && state.corpus !== corpus.name) state = { ...state, ...emptied(OF_THE_CORPUS) };
    shownNow.corpus = corpus.name;
    const titles = page.corpora.map(({ name, title }) => [name, cutTitle(title)]);
    fillMenu("Corpus", titles, corpus.name, (name) => ({ ...emptied(OF_THE_CORPUS), corpus: name }));
    nameShown(cutTitle(corpus.title));
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

/** Fills the menu of the bar, which takes a step to the state of what is chosen. */
function fillMenu(label, options, chosen, stateOf) {
  const select = element("select", { "aria-label": label });
  fillSelect(select, options, chosen, (value) => change(stateOf(value), { step: true }));
  byId("tabs").hidden = options.length < 2;
  byId("tabs").replaceChildren(select);
}

/** Names in titles what is shown. */
function nameShown(title) {
  for (const place of document.querySelectorAll(".of-corpus")) place.textContent = title;
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
  const asked = isEnd && links.find(({ hash }) => hash === location.hash);
  const here = asked || links.find((link) => placeOf(link) === section);
  const marked = bar.querySelector("[aria-current]") ?? undefined;
  if (here === marked) return;
  marked?.removeAttribute("aria-current");
  here?.setAttribute("aria-current", "true");
  if (here) bar.scrollLeft = here.offsetLeft - bar.clientWidth / 2;
}

/** Shows a section where something of it has changed. */
async function showSection(section, state, corpus) {
  const key = keyOf(corpus, section.keys ?? [], state);
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

/** Opens what an address such as #def-wper names where it is folded. */
function unfold() {
  const folded = location.hash.includes("=") ? null : byId(location.hash.slice(1))?.closest("details");
  if (!folded || folded.open) return;
  folded.open = true;
  byId(location.hash.slice(1)).scrollIntoView();
}

addEventListener("hashchange", unfold);
addEventListener("scroll", () => requestAnimationFrame(markSection), { passive: true });
document.addEventListener("click", ({ target }) => target.closest("button.back") && history.back());
const written = new Date(document.lastModified);
const day = written.toLocaleDateString("en-GB", { day: "numeric", month: "long", year: "numeric" });
if (location.protocol === "file:" && byId("written")) byId("written").textContent = `, written on ${day}`;
unfold();
// the words of the page: `page.measures` by name and variant, `page.meanings` of tables and columns
Object.assign(page, JSON.parse(await inflateText(page.words)));
await followAddress(showState);
