// The two items that a comparison's page shows, and the menu of pairs.

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
function showPairs({ corpus, other }) {
  const titles = page.pairs.map((pair, place) => [String(place), pair.slice(0, 2).map(titleOf).join(" and ")]);
  const chosen = String(page.pairs.indexOf(pairOf({ corpus, other })));
  fillMenu("Pair of items", titles, chosen, (place) => {
    const [first, second] = page.pairs[place];
    return { ...emptied(OF_THE_CORPUS), corpus: first, other: second };
  });
  const articles = [...document.querySelectorAll("article.pair")];
  const own = articles.find(({ dataset }) => dataset.pair === chosen) ?? articles.at(-1);
  for (const article of articles) article.hidden = article !== own;
  nameShown([corpus, other].map((name) => cutTitle(titleOf(name))).join(" and "));
}
