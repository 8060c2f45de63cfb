// The two items that a comparison's page shows, and the links to every other pair.

import { addressOf } from "../address.js";
import { page } from "../data.js";
import { byId, cut, element } from "../elements.js";

const LONGEST = 24; // letters of a name
const OF_THE_PAIR = ["gold", "heard", "speaker", "utterance", "class", "partners", "search"];

/** The pair that a state chooses: in either order, else the first with its corpus, else the first: [first, second, paired]. */
export function pairOf({ corpus, other }) {
  const known = page.pairs.find(([first, second]) => first === corpus && second === other);
  const turned = page.pairs.find(([first, second]) => first === other && second === corpus);
  return known ?? turned ?? page.pairs.find(([first]) => first === corpus) ?? page.pairs[0];
}

/** A state with the two items of its pair, and their difference unless it says otherwise; any other page's as it is. */
export function completed(state) {
  if (page.pairs.length === 0) return state;
  const [first, second] = pairOf(state);
  const turned = state.corpus === second && state.other === first;
  const two = turned ? { corpus: second, other: first } : { corpus: first, other: second };
  return { view: "difference", ...state, ...two };
}

/** What an item is called. */
export const titleOf = (name) => page.corpora.find((item) => item.name === name).title;

/** Fills the list of pairs: each a link to the same view of that pair. */
export function showPairs(state) {
  const others = Object.fromEntries(Object.entries(state).filter(([name]) => !OF_THE_PAIR.includes(name)));
  const [own, beside] = pairOf(state);
  const links = page.pairs.map(([first, second]) => {
    const title = `${titleOf(first)} and ${titleOf(second)}`;
    const current = first === own && second === beside ? "true" : null;
    const href = addressOf({ at: "matrix", ...others, corpus: first, other: second });
    return element("a", { href, "aria-current": current, title }, cut(title, 2 * LONGEST));
  });
  byId("tabs").replaceChildren(...links);
  const shown = [state.corpus, state.other].map((name) => cut(titleOf(name), LONGEST)).join(" and ");
  for (const place of document.querySelectorAll(".of-corpus")) place.textContent = shown;
}
