// One utterance: gold above heard, its rates, its speaker; links to each cell, and to those before and after it.

const { byId, element, folded, shown } = modules.elements;
const { playButton } = modules["utterances/hear"];
const { alignedPairs } = modules["utterances/pairs"];
const { findSteps } = modules["utterances/search"];

/** Shows an utterance of so many gold phones, the pairs marked that the search found. */
function showOpened(corpus, u, { asked, length }) {
  const { alignments } = corpus;
  const marked = new Set(asked.steps ? findSteps(alignments, asked.steps, u).flat() : []);
  byId("utterance-name").replaceChildren(folded(alignments.ids[u]));
  byId("utterance-facts").replaceChildren(...facts(alignments, u, length));
  byId("utterance-play").replaceChildren(...[playButton(corpus, u)].filter(Boolean));
  byId("utterance-pairs").replaceChildren(
    element("p", { class: "small" }, legend(alignments)),
    alignedPairs(corpus, u, {
      hit: (place) => marked.has(place),
      details: true,
      below: (place) => playButton(corpus, u, place),
    }),
  );
}

/** Says that there is no such utterance on the page. */
function showMissing(corpus, id) {
  const why = corpus.sampled ? ` ${corpus.title}: ${corpus.sampled}` : "";
  byId("utterance-name").replaceChildren(id ? "No such utterance" : "No utterance");
  byId("utterance-facts").replaceChildren(...(id ? ["The page does not carry ", folded(id), `.${why}`] : []));
  for (const part of ["play", "pairs"]) byId(`utterance-${part}`).replaceChildren();
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
