// The consonants as in the IPA's chart, voiceless ones left of voiced ones: how often each is predicted as itself, and
// below it what else it is predicted as.

const LEAST = 0.1; // share of an answer that is shown
const BREAKS = /(?<=^labio|^post|^epi|^retro|^pharyn|^bi(?=lab)|alveo(?=lar))/g; // in the name of a place

function showConsonants(_, corpus) {
  const { manners, places, consonants: where } = page.orders.places;
  const known = new Map(Object.entries(where));
  const gold = goldOf(corpus).filter(({ phone }) => known.has(phone));
  byId("consonants-section").hidden = gold.length === 0;
  const at = (...wanted) => gold.filter(({ phone }) => wanted.every((value) => known.get(phone).includes(value)));
  const halves = places.flatMap((place) => [false, true].map((voice) => [place, voice]));
  const columns = halves.filter((half) => at(...half).length);
  const heads = places.flatMap((place) => {
    const colspan = columns.filter(([own]) => own === place).length;
    return colspan ? [element("th", { scope: "col", colspan }, place.replace(BREAKS, "\u00ad"))] : [];
  });
  const rowOf = (manner) => {
    const cells = columns.map(([place, voice], which) => {
      const own = at(manner, place, voice).map((one) => phoneOf(corpus, one));
      return element("td", { class: columns[which - 1]?.[0] === place ? "second" : null }, ...own);
    });
    return element("tr", {}, element("th", { scope: "row" }, manner), ...cells);
  };
  const rows = manners.filter((manner) => at(manner).length).map(rowOf);
  const head = element("tr", {}, element("td"), ...heads);
  byId("consonants").style.setProperty("--halves", columns.length);
  byId("consonants").replaceChildren(element("thead", {}, head), element("tbody", {}, ...rows));
}

function phoneOf(corpus, { phone, tokens, accuracy }) {
  const few = tokens < page.few;
  const answer = few ? null : answersOf(corpus, phone).find(([other, share]) => other !== phone && share >= LEAST);
  const title = `${phone}: ${tokens} tokens, ${percent(accuracy)} as itself`;
  const kind = `phone${few ? " few" : ""}${!few && accuracy > 0.6 ? " dark" : ""}`;
  const own = element("a", { href: addressOf({ corpus: corpus.name, phone }), class: kind, title }, phone);
  own.style.setProperty("--v", percent(accuracy).replace(" ", ""));
  if (!answer) return own;
  const href = addressOf({ corpus: corpus.name, gold: phone, predicted: answer[0] });
  const words = `${answer[0]}\u00a0${Math.round(100 * answer[1])}`;
  const other = element("a", { href, class: "answer", title: `predicted as ${answer[0]}` }, words);
  return element("span", { class: "consonant" }, own, other);
}
