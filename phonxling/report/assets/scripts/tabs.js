// The corpora, one of which the sections below show.

import { addressOf } from "./address.js";
import { page } from "./data.js";
import { byId, cut, element } from "./elements.js";

const OF_THE_CORPUS = [
  ...["gold", "heard", "from", "speaker", "left", "right", "partners", "class"],
  ...["phone", "utterance", "search", "by"],
];
const LONGEST = 24; // letters of a name

/** A state without its corpus, and without what belongs to that. */
export function withoutCorpus({ corpus, ...state }) {
  return Object.fromEntries(Object.entries(state).filter(([name]) => !OF_THE_CORPUS.includes(name)));
}

/** Fills the list of corpora: each a link to the same view of that corpus. */
export function showTabs(corpus, state) {
  const others = withoutCorpus(state);
  const links = page.corpora.map(({ name, title }) => {
    const current = name === corpus.name ? "true" : null;
    const href = addressOf({ at: "matrix", ...others, corpus: name });
    return element("a", { href, "aria-current": current, title }, cut(title, LONGEST));
  });
  byId("tabs").replaceChildren(...links);
  for (const place of document.querySelectorAll(".of-corpus")) place.textContent = cut(corpus.title, LONGEST);
}
