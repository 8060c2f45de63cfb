// All utterances of a corpus that the page carries: a list to sort and to search, and one of them opened.

const { addressOf, change } = modules.address;
const { byId, cut, element, shown } = modules.elements;
const { countFound, fillControls } = modules["utterances/controls"];
const { offerAudio } = modules["utterances/hear"];
const { fillList } = modules["utterances/list"];
const { showMissing, showOpened } = modules["utterances/opened"];
const { chosenOrder, head, middle, sorted, valuesOf } = modules["utterances/order"];
const { findUtterances, parseQuery } = modules["utterances/search"];

const LONGEST = 40; // letters of a name in the list

const utterances = { id: "utterances", keys: ["utterance", "search", "sort", "by"], show, place };

/** Where a state leads: to the utterance that it names, or to the list. */
function place(state) {
  return byId(state.utterance ? "utterance-opened" : "utterances-section");
}

/** Shows the list that a state asks for, and one utterance. */
function show(state, corpus) {
  const { search = "", by = "", sort } = state;
  const { ids } = corpus.alignments;
  const asked = parseQuery(corpus, search);
  const found = findUtterances(corpus, asked, by);
  const order = chosenOrder(corpus, sort);
  const utterancesFound = found.map(([u]) => u);
  const listed = sorted(corpus, utterancesFound, order);
  const opened = state.utterance ? ids.indexOf(state.utterance) : middle(corpus, listed);
  const link = (u) => addressOf({ corpus: corpus.name, search, sort, by, utterance: ids[u] });
  fillControls(corpus, state);
  offerAudio(corpus, () => show(state, corpus));
  countFound(corpus, asked, found, search);
  drawList({ corpus, listed, order, opened, link, start: state.utterance ? listed.indexOf(opened) : 0 });
  if (opened < 0) showMissing(corpus, state.utterance);
  else showOpened(corpus, opened, { asked, length: valuesOf(corpus).length[opened] });
  stepLinks(listed, opened, link);
  byId("utterances-section").onclick = browse;
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

function drawList({ corpus, listed, order, opened, link, start }) {
  const table = byId("utterance-list");
  const speakers = corpus.alignments.speakers.some(Boolean);
  const rows = listed.map((u) => made(corpus, u, { href: link(u), current: u === opened, speakers }));
  table.tHead.replaceChildren(head(order, speakers, (sort) => change({ sort })));
  fillList(byId("utterance-scroll"), rows, Math.max(0, start));
}

/** The row of an utterance. */
function made(corpus, u, { href, current, speakers }) {
  const { ids, wper, per } = corpus.alignments;
  const id = cut(ids[u], LONGEST);
  const name = element("th", { scope: "row", title: id === ids[u] ? null : ids[u] }, element("a", { href }, id));
  const speaker = speakers ? element("td", {}, cut(corpus.alignments.speakers[u], LONGEST)) : null;
  const numbers = [valuesOf(corpus).length[u], wper[u], per[u]];
  const cells = numbers.map((value) => element("td", { class: "number" }, shown(value)));
  return element("tr", { "aria-current": current ? "true" : null }, name, speaker, ...cells);
}

/** Links to the utterances before and after the opened one in the list. */
function stepLinks(listed, opened, link) {
  const at = listed.indexOf(opened);
  const around = { before: listed[at - 1], after: at < 0 ? undefined : listed[at + 1] };
  for (const [name, u] of Object.entries(around)) {
    if (u === undefined) byId(`utterance-${name}`).removeAttribute("href");
    else byId(`utterance-${name}`).setAttribute("href", link(u));
  }
}

modules["utterances/section"] = { utterances };
