// All utterances of a corpus that the page carries: a list to sort and to search, and one of them opened.

import { addressOf, change } from "../address.js";
import { GAP } from "../data.js";
import { byId, cut, element, fillSelect, shown } from "../elements.js";
import { fillList } from "./list.js";
import { showMissing, showOpened } from "./opened.js";
import { chosenOrder, extremes, head, sorted, valuesOf } from "./order.js";
import { phonesAt } from "./pairs.js";
import { findUtterances, parseQuery } from "./search.js";

const LONGEST = 40; // letters of a name in the list
const NAMES = { worst: "the worst", middle: "the middle one", best: "the best" };

export const utterances = { id: "utterances", keys: ["utterance", "search", "sort", "by"], show, place };

/** Where a state leads: to the utterance that it names, or to the list. */
function place(state) {
  return byId(state.utterance ? "utterance-opened" : "utterances-section");
}

/** Shows the list that a state asks for, and the utterance that it names; the middle one where it names none. */
function show(state, corpus) {
  const { search = "", by = "" } = state;
  const order = chosenOrder(corpus, state.sort);
  const asked = parseQuery(corpus, search);
  const found = findUtterances(corpus, asked, by);
  const listed = sorted(corpus, found.map(([u]) => u), order); // biome-ignore format: one line
  const quick = extremes(corpus, listed);
  const opened = state.utterance ? corpus.alignments.ids.indexOf(state.utterance) : (quick[1]?.[1] ?? -1);
  const link = (u) =>
    addressOf({ corpus: corpus.name, search, sort: state.sort, by, utterance: corpus.alignments.ids[u] });
  fillControls(corpus, search, by);
  byId("utterance-count").textContent = counted(corpus, asked, found, search);
  byId("utterance-quick").replaceChildren(...quickLinks(corpus, quick, link));
  drawList({ corpus, listed, order, opened, link, start: state.utterance ? listed.indexOf(opened) : 0 });
  if (opened >= 0) showOpened(corpus, opened, asked, valuesOf(corpus).length[opened]);
  else showMissing(corpus, state.utterance);
  stepLinks(listed, opened, link);
}

function fillControls(corpus, search, by) {
  const names = [...new Set(corpus.alignments.speakers)].filter(Boolean).sort();
  const field = byId("utterance-search");
  if (field.value !== search) field.value = search;
  field.oninput = () => change({ search: field.value, utterance: "" });
  fillSelect(byId("utterance-speaker"), [["", "all"], ...names.map((name) => [name, name])], by);
  byId("utterance-speaker").disabled = names.length === 0;
  byId("utterance-speaker").oninput = ({ target }) => change({ by: target.value, utterance: "" });
  byId("utterance-syntax").replaceChildren(...syntax(corpus));
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

/** What can be searched for, by examples of this corpus, each a link to what it finds. */
function syntax(corpus) {
  const { offsets } = corpus.alignments;
  const example = (text) => element("a", { href: addressOf({ corpus: corpus.name, search: text }) }, text);
  for (let pair = 0; pair + 1 < (offsets.at(-1) ?? 0); pair++) {
    const [[gold, heard], [next]] = [phonesAt(corpus, pair), phonesAt(corpus, pair + 1)];
    if (gold === heard || [gold, heard, next].includes(GAP)) continue;
    const parts = ["Gold phones one after the other: ", example(`${gold} ${next}`), "; gold heard as: "];
    parts.push(example(`${gold}>${heard}`), "; any phone: ", example(`${gold} _`), "; no phone: ");
    return [
      ...parts,
      example(`${gold}>${GAP}`),
      " or ",
      example(`${GAP}>${heard}`),
      "; all else is looked for in names.",
    ];
  }
  return [
    "Phones one after the other, such as a b; gold heard as: a>b; any phone: _; no phone: ∅; or a part of a name.",
  ];
}

function counted(corpus, asked, found, search) {
  const all = `${shown(corpus.alignments.ids.length)} utterance${corpus.alignments.ids.length === 1 ? "" : "s"}`;
  const several = asked.unknown?.length > 1 ? "are no phones" : "is no phone";
  if (asked.unknown?.length && !found.length)
    return `No name holds “${cut(search.trim(), LONGEST)}”; ${cut(asked.unknown.join(", "), LONGEST)} ${several} of this corpus.`;
  if (!asked.steps)
    return found.length < corpus.alignments.ids.length ? `${shown(found.length)} of ${all}.` : `${all}.`;
  const places = found.reduce((sum, [, times]) => sum + times, 0);
  return `${shown(found.length)} of ${all}, ${shown(places)} time${places === 1 ? "" : "s"} in all.`;
}

function quickLinks(corpus, quick, link) {
  const links = quick.map(([name, u]) => element("a", { href: link(u), title: corpus.alignments.ids[u] }, NAMES[name]));
  return links.flatMap((made, place) => [place ? " · " : "Open ", made]);
}

function drawList({ corpus, listed, order, opened, link, start }) {
  const { ids, speakers, wper, per } = corpus.alignments;
  const lengths = valuesOf(corpus).length;
  const spoken = speakers.some(Boolean);
  const table = byId("utterance-list");
  const cell = (name, text) => element("td", { class: name === "speaker" ? "" : "number" }, text);
  const row = (at) => {
    const u = listed[at];
    const [id, name] = [ids[u], speakers[u] ?? ""].map((text) => cut(text, LONGEST));
    const first = element(
      "th",
      { scope: "row", title: id === ids[u] ? null : ids[u] },
      element("a", { href: link(u) }, id),
    );
    const cells = [spoken ? cell("speaker", name) : null, cell("length", shown(lengths[u]))];
    cells.push(cell("wper", shown(wper[u])), cell("per", shown(per[u])));
    return element("tr", { "aria-current": u === opened ? "true" : null }, first, ...cells);
  };
  table.setAttribute("aria-rowcount", listed.length + 1);
  table.tHead.replaceChildren(head(order, spoken, (sort) => change({ sort })));
  fillList(byId("utterance-scroll"), { count: listed.length, row }, Math.max(0, start));
}

function stepLinks(listed, opened, link) {
  const at = listed.indexOf(opened);
  for (const [id, u] of [
    ["utterance-before", listed[at - 1]],
    ["utterance-after", listed[at + 1]],
  ]) {
    // biome-ignore format: one line
    if (at >= 0 && u !== undefined) byId(id).setAttribute("href", link(u));
    else byId(id).removeAttribute("href");
  }
}
