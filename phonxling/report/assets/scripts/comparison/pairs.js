// The two items that a comparison's page shows, and the links to every other pair.

const { addressOf, change } = modules.address;
const { page } = modules.data;
const { byId, chooser, cut, element } = modules.elements;

const LONGEST = 24; // letters of a name
const MOST_LINKS = 12; // of more pairs, one is chosen from a list
const OF_THE_PAIR = ["gold", "heard", "speaker", "class", "partners", "search"];

/** The pair that a state chooses: in either order, else the first with its corpus, else the first: [first, second, paired]. */
function pairOf({ corpus, other }) {
  const known = page.pairs.find(([first, second]) => first === corpus && second === other);
  const turned = page.pairs.find(([first, second]) => first === other && second === corpus);
  return known ?? turned ?? page.pairs.find(([first]) => first === corpus) ?? page.pairs[0];
}

/** A state with the two items of its pair, and their difference unless it says otherwise; any other page's as it is. */
function completed(state) {
  if (page.pairs.length === 0) return state;
  const [first, second] = pairOf(state);
  const turned = state.corpus === second && state.other === first;
  const two = turned ? { corpus: second, other: first } : { corpus: first, other: second };
  return { view: "difference", ...state, ...two };
}

/** What an item is called. */
const titleOf = (name) => page.corpora.find((item) => item.name === name).title;

/** Fills the list of pairs, each a link to the same view of that pair, and shows the findings of the chosen one. */
function showPairs(state) {
  const others = Object.fromEntries(Object.entries(state).filter(([name]) => !OF_THE_PAIR.includes(name)));
  const [own, beside] = pairOf(state);
  const links = page.pairs.map(([first, second]) => {
    const title = `${titleOf(first)} and ${titleOf(second)}`;
    const current = first === own && second === beside ? "true" : null;
    const href = addressOf({ at: "findings", ...others, corpus: first, other: second });
    return element("a", { href, "aria-current": current, title }, cut(title, 2 * LONGEST));
  });
  const chosen = String(page.pairs.indexOf(pairOf(state)));
  byId("tabs").replaceChildren(...(links.length > MOST_LINKS ? [pairList(chosen)] : links));
  for (const article of document.querySelectorAll("article.pair")) article.hidden = article.dataset.pair !== chosen;
  const shown = [state.corpus, state.other].map((name) => cut(titleOf(name), LONGEST)).join(" and ");
  for (const place of document.querySelectorAll(".of-corpus")) place.textContent = shown;
}

/** A list of all pairs, to choose one from. */
function pairList(chosen) {
  const titles = page.pairs.map((pair, place) => [String(place), pair.slice(0, 2).map(titleOf).join(" and ")]);
  const nothing = Object.fromEntries(OF_THE_PAIR.map((name) => [name, ""]));
  const choose = (place) => {
    const [corpus, other] = page.pairs[Number(place)];
    change({ ...nothing, corpus, other }, { step: true });
  };
  return element("label", {}, "Pair ", chooser(titles, chosen, choose));
}

modules["comparison/pairs"] = { completed, pairOf, showPairs, titleOf };
