// The corpora, one of which the sections below show.

const { addressOf, change } = modules.address;
const { page } = modules.data;
const { byId, chooser, cut, element } = modules.elements;

const OF_THE_CORPUS = [
  ...["gold", "heard", "from", "speaker", "left", "right", "partners", "class"],
  ...["phone", "utterance", "search", "by", "errors"],
];
const MOST_LINKS = 8; // of more corpora, one is chosen from a list
const LONGEST = 24; // letters of a name

/** A state without its corpus, and without what belongs to that. */
function withoutCorpus({ corpus, ...state }) {
  return Object.fromEntries(Object.entries(state).filter(([name]) => !OF_THE_CORPUS.includes(name)));
}

/** Fills the list of corpora: each a link to the same view of that corpus. */
function showTabs(corpus, state) {
  const others = withoutCorpus(state);
  const links = page.corpora.map(({ name, title }) => {
    const current = name === corpus.name ? "true" : null;
    const href = addressOf({ at: sectionInSight(), ...others, corpus: name });
    return element("a", { href, "aria-current": current, title }, cut(title, LONGEST));
  });
  byId("tabs").replaceChildren(...(links.length > MOST_LINKS ? [corpusList(corpus)] : links));
  for (const place of document.querySelectorAll(".of-corpus")) place.textContent = cut(corpus.title, LONGEST);
}

function corpusList(corpus) {
  const names = page.corpora.map(({ name, title }) => [name, title]);
  const nothing = Object.fromEntries(OF_THE_CORPUS.map((name) => [name, ""]));
  const choose = (name) => change({ ...nothing, corpus: name }, { step: true });
  return chooser(names, corpus.name, choose, { "aria-label": "Corpus" });
}

/** The section below the bar, the last that begins above a quarter of the window; at the page's end the one asked for. */
function sectionInSight() {
  const sections = [
    ...document.querySelectorAll("main > section, main > details, .comparison > section, .comparison > details"),
  ];
  const asked = sections.find(({ id }) => `#${id}` === location.hash);
  if (asked && scrollY + innerHeight > document.documentElement.scrollHeight - 2)
    return asked.id.replace(/-section$/, "");
  const above = sections.filter((each) => !each.hidden && each.getBoundingClientRect().top < innerHeight / 4);
  return (above.at(-1) ?? sections[0])?.id.replace(/-section$/, "");
}

/** Marks the link of the section in sight, and moves it into sight itself. */
function markSection() {
  const at = sectionInSight();
  const bar = byId("sections");
  for (const link of bar.querySelectorAll("a")) {
    const here = link.hash === `#${at}-section`;
    if (here === link.hasAttribute("aria-current")) continue;
    if (here) {
      link.setAttribute("aria-current", "true");
      bar.scrollLeft = link.offsetLeft - bar.clientWidth / 2;
    } else link.removeAttribute("aria-current");
  }
}

modules.tabs = { markSection, showTabs, withoutCorpus };
