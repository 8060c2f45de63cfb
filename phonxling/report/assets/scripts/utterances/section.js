// All utterances of a corpus that the page carries: a list to sort and to search, and one of them opened, gold above
// predicted, with links to each cell, and to those before and after it.

/** Where a state leads: to the utterance that it names, or to the list. */
function placeOfUtterance(state) {
  return byId(state.utterance ? "utterance-opened" : "utterances-section");
}

/** Shows the list that a state asks for, and one utterance. */
function showUtterances(state, corpus) {
  const { search = "", by = "", sort } = state;
  const every = rowsOf(corpus);
  const asked = parseQuery(corpus, search);
  const found = findUtterances(corpus, asked, by);
  const order = orderOf(corpus, sort);
  const unsorted = found.map(([u]) => every[u]);
  const rows = sortedRows(unsorted, order);
  const opened = state.utterance ? every.find(({ utterance }) => utterance === state.utterance) : middleOf(rows);
  const link = ({ utterance }) => addressOf({ corpus: corpus.name, search, sort, by, utterance });
  const sortBy = ({ column, down }) => change({ sort: (down ? "-" : "") + column });
  fillUtteranceControls(corpus, state);
  offerAudio(corpus, () => showUtterances(state, corpus));
  byId("utterance-count").textContent = countFound(every.length, asked, found, search);
  drawList(rows, { order, opened, start: state.utterance ? rows.indexOf(opened) : 0, link, sortBy });
  if (opened) showOpened(corpus, opened, asked);
  else showMissing(corpus, state.utterance);
  stepLinks(rows, opened, link);
  byId("utterances-section").onclick = browse;
}

/** Fills the fields for a search and a speaker. */
function fillUtteranceControls(corpus, { search = "", by = "" }) {
  const field = byId("utterance-search");
  if (field.value !== search) field.value = search;
  field.oninput = () => change({ search: field.value, utterance: "" });
  fillSpeakers(byId("utterance-speaker"), corpus, by, (chosen) => change({ by: chosen, utterance: "" }));
}

/** Says how many utterances were found, and how often. */
function countFound(number, asked, found, search) {
  if (asked.unknown?.length && !found.length) {
    const are = asked.unknown.length > 1 ? "are not phones" : "is not a phone";
    const unknown = cut(asked.unknown.join(", "), LONGEST_NAME);
    return `No name holds “${cut(search.trim(), LONGEST_NAME)}”; ${unknown} ${are} of this corpus.`;
  }
  const places = found.reduce((sum, [, times]) => sum + times, 0);
  const often = asked.steps ? `, ${plural(places, "time")} in all` : "";
  const some = found.length < number || asked.steps ? `${plain(found.length)} of ` : "";
  return `${some}${plural(number, "utterance")}${often}.`;
}

/** A click on an utterance opens it where the reader is: he is not taken to another place, unless it is out of sight. */
function browse(event) {
  const link = event.target.closest('a[href*="utterance="]');
  if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
  event.preventDefault();
  event.stopPropagation();
  change({ utterance: new URLSearchParams(link.hash.slice(1)).get("utterance") }, { step: true });
  if (byId("utterance-opened").getBoundingClientRect().top > innerHeight / 2) byId("utterance-opened").scrollIntoView();
}

/** Shows an utterance, the pairs marked that the search found. */
function showOpened(corpus, row, asked) {
  const marked = new Set(asked.steps ? findSteps(corpus.alignments, asked.steps, row.u).flat() : []);
  const below = (place) => playButton(corpus, row.u, place);
  byId("utterance-name").replaceChildren(folded(row.utterance));
  byId("utterance-facts").replaceChildren(...utteranceFacts(row));
  byId("utterance-play").replaceChildren(...[playButton(corpus, row.u)].filter(Boolean));
  byId("utterance-pairs").replaceChildren(
    element("p", { class: "small" }, legend(corpus.alignments)),
    alignedPairs(corpus, row.u, { hit: (place) => marked.has(place), details: true, below }),
  );
}

/** Says that there is no such utterance on the page. */
function showMissing(corpus, id) {
  const why = corpus.sampled ? ` ${corpus.title}: ${corpus.sampled}` : "";
  byId("utterance-name").replaceChildren(id ? "No such utterance" : "No utterance");
  byId("utterance-facts").replaceChildren(...(id ? ["The page does not carry ", folded(id), `.${why}`] : []));
  for (const part of ["play", "pairs"]) byId(`utterance-${part}`).replaceChildren();
}

function utteranceFacts({ speaker, phones, wper, per }) {
  const rate = (name, title, value) => [" · ", element("a", { href: `#def-${name}` }, title), ` ${plain(value)}`];
  const by = speaker ? ["Speaker ", folded(speaker), " · "] : [];
  return [...by, plural(phones, "gold phone"), ...rate("wper", "wPER", wper), ...rate("per", "PER", per)];
}

function legend({ confidence, goldEnd, predictedEnd, forced }) {
  const begins = `when the pair begins, in seconds${forced ? " (found from the posteriors)" : ""}`;
  const below = [confidence && "the confidence of the predicted phone", (goldEnd || predictedEnd) && begins];
  const numbers = below.filter(Boolean).join(", and ");
  return `Gold above, predicted below; a pair leads to its cell of the matrix.${numbers && ` Below them: ${numbers}.`}`;
}

/** Links to the utterances before and after the opened one in the list. */
function stepLinks(rows, opened, link) {
  const at = rows.indexOf(opened);
  const around = at < 0 ? {} : { before: rows[at - 1], after: rows[at + 1] };
  for (const name of ["before", "after"]) {
    if (around[name]) byId(`utterance-${name}`).setAttribute("href", link(around[name]));
    else byId(`utterance-${name}`).removeAttribute("href");
  }
}
