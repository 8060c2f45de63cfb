// The two items that a comparison's page shows, and the menu of pairs.

const { byId, change, chooser, cut, page } = shared;

const LONGEST = 24; // letters of a name
const OF_THE_PAIR = ["gold", "predicted", "speaker", "class", "partners", "search"];

/** The pair that a state chooses: in either order, else the first with its corpus, else the first: [first, second, paired]. */
function pairOf({ corpus, other }) {
  const known = page.pairs.find(([first, second]) => first === corpus && second === other);
  const turned = page.pairs.find(([first, second]) => first === other && second === corpus);
  return known ?? turned ?? page.pairs.find(([first]) => first === corpus) ?? page.pairs[0];
}

/** A state of the two items of its pair, in its order, and of their difference if it names no view; other pages' as it is. */
function completed(state) {
  if (page.pairs.length === 0) return state;
  const [corpus, other] = pairOf(state);
  return { view: "difference", ...state, corpus, other };
}

/** What an item is called. */
const titleOf = (name) => page.corpora.find((item) => item.name === name).title;

/** Fills the menu of pairs, and shows the findings of the chosen one. */
function showPairs(state) {
  const chosen = String(page.pairs.indexOf(pairOf(state)));
  byId("tabs").replaceChildren(...(page.pairs.length > 1 ? [pairList(chosen)] : []));
  const articles = [...document.querySelectorAll("article.pair")];
  const own = articles.find(({ dataset }) => dataset.pair === chosen) ?? articles.at(-1);
  for (const article of articles) article.hidden = article !== own;
  const shown = [state.corpus, state.other].map((name) => cut(titleOf(name), LONGEST)).join(" and ");
  for (const place of document.querySelectorAll(".of-corpus")) place.textContent = shown;
}

function pairList(chosen) {
  const titles = page.pairs.map((pair, place) => [String(place), pair.slice(0, 2).map(titleOf).join(" and ")]);
  const nothing = Object.fromEntries(OF_THE_PAIR.map((name) => [name, ""]));
  const choose = (place) => {
    const [corpus, other] = page.pairs[Number(place)];
    change({ ...nothing, corpus, other }, { step: true });
  };
  return chooser(titles, chosen, choose, { "aria-label": "Pair of items" });
}

Object.assign(shared, { completed, pairOf, showPairs, titleOf });
