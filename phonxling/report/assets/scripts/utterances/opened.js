// One utterance: gold above heard, its rates, its speaker; links to each cell, and to those before and after it.

const { addressOf } = modules.address;
const { byId, element, folded, shown } = modules.elements;
const { playButton } = modules["utterances/hear"];
const { alignedPairs } = modules["utterances/pairs"];
const { findSteps } = modules["utterances/search"];
const { drawStrip } = modules["utterances/strip"];

const STRIP =
  "The labels with most probability, the stronger the more probable: of each step up to four, of 0.05 or more.";

/** Shows an utterance, the pairs marked that the search found; `strips`: the posteriors of those that have some. */
function showOpened(corpus, u, { asked, strips, length }) {
  const { alignments } = corpus;
  const marked = new Set(asked.steps ? findSteps(alignments, asked.steps, u).flat() : []);
  byId("utterance-name").replaceChildren(folded(alignments.ids[u]));
  byId("utterance-facts").replaceChildren(...facts(alignments, u, length));
  byId("utterance-play").replaceChildren(...[playButton(corpus, u)].filter(Boolean));
  byId("utterance-strip").replaceChildren(...posteriors(corpus, u, strips));
  byId("utterance-pairs").replaceChildren(
    element("p", { class: "small" }, legend(alignments)),
    alignedPairs(corpus, u, {
      hit: (place) => marked.has(place),
      details: true,
      below: (place) => playButton(corpus, u, place),
    }),
  );
}

/** The strip of an utterance, or which utterances have one. */
function posteriors(corpus, u, strips) {
  const id = corpus.alignments.ids[u];
  if (!strips.size) return [];
  if (strips.has(id))
    return [
      element("h4", {}, "Posteriors over time"),
      element("p", { class: "small" }, STRIP),
      drawStrip(corpus, u, strips.get(id)),
    ];
  const known = corpus.alignments.ids.filter((name) => strips.has(name));
  const links = known.map((name) => element("a", { href: addressOf({ corpus: corpus.name, utterance: name }) }, name));
  const list = element("ul", {}, ...links.map((link) => element("li", {}, link)));
  const told = `Posteriors over time are stored of ${shown(known.length)} other utterances`;
  return [element("details", {}, element("summary", {}, told), list)];
}

/** Says that there is no such utterance on the page. */
function showMissing(corpus, id) {
  const why = corpus.sampled ? ` ${corpus.title}: ${corpus.sampled}` : "";
  byId("utterance-name").replaceChildren(id ? "No such utterance" : "No utterance");
  byId("utterance-facts").replaceChildren(...(id ? ["The page does not carry ", folded(id), `.${why}`] : []));
  for (const part of ["play", "strip", "pairs"]) byId(`utterance-${part}`).replaceChildren();
}

function facts({ speakers, wper, per }, u, length) {
  const rate = (name, title, value) => [" · ", element("a", { href: `#def-${name}` }, title), ` ${shown(value)}`];
  const speaker = speakers[u] ? ["Speaker ", folded(speakers[u]), " · "] : [];
  const phones = `${shown(length)} gold phone${length === 1 ? "" : "s"}`;
  return [...speaker, phones, ...rate("wper", "wPER", wper[u]), ...rate("per", "PER", per[u])];
}

function legend({ confidence, goldEnd, predictedEnd, forced }) {
  const begins = `when the pair begins, in seconds${forced ? " (found from the posteriors)" : ""}`;
  const below = [confidence && "the confidence of the predicted phone", (goldEnd || predictedEnd) && begins].filter(
    Boolean,
  );
  const numbers = below.length ? ` Below them: ${below.join(", and ")}.` : "";
  return `Gold above, predicted below; a pair leads to its cell of the matrix.${numbers}`;
}

modules["utterances/opened"] = { showMissing, showOpened };
