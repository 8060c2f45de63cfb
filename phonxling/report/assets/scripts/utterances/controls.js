// What stands above the list of utterances: search and speaker, and how many were found.

import { change } from "../address.js";
import { byId, cut, element, fillSelect, shown } from "../elements.js";
import { rateOf } from "./order.js";

const LONGEST = 40; // letters of a name
const NAMES = { worst: "the worst", middle: "the middle one", best: "the best" };
const RATES = { wper: "wPER", per: "PER" };

/** Fills the fields for a search and a speaker. */
export function fillControls(corpus, { search = "", by = "" }) {
  const names = [...new Set(corpus.alignments.speakers)].filter(Boolean).sort();
  const all = [["", "all"], ...names.map((name) => [name, name])];
  const [field, speaker] = [byId("utterance-search"), byId("utterance-speaker")];
  if (field.value !== search) field.value = search;
  field.oninput = () => change({ search: field.value, utterance: "" });
  fillSelect(speaker, all, by);
  speaker.disabled = names.length === 0;
  speaker.oninput = () => change({ by: speaker.value, utterance: "" });
}

/** Says how many utterances were found, and how often. */
export function countFound({ alignments }, asked, found, search) {
  const number = alignments.ids.length;
  const all = `${shown(number)} utterance${number === 1 ? "" : "s"}`;
  const places = found.reduce((sum, [, times]) => sum + times, 0);
  const often = asked.steps ? `, ${shown(places)} time${places === 1 ? "" : "s"} in all` : "";
  const some = found.length < number || asked.steps ? `${shown(found.length)} of ` : "";
  const missing = asked.unknown?.length && !found.length;
  byId("utterance-count").textContent = missing ? unknown(asked.unknown, search) : `${some}${all}${often}.`;
}

function unknown(words, search) {
  const are = words.length > 1 ? "are no phones" : "is no phone";
  return `No name holds “${cut(search.trim(), LONGEST)}”; ${cut(words.join(", "), LONGEST)} ${are} of this corpus.`;
}

/** Links to the worst, the middle and the best of those that are listed. */
export function linkExtremes(corpus, quick, link) {
  const made = quick.map(([name, u]) => element("a", { href: link(u) }, NAMES[name]));
  const links = made.flatMap((each, place) => [place ? " · " : "Open ", each]);
  byId("utterance-quick").replaceChildren(...links, ...(made.length ? [` by ${RATES[rateOf(corpus)]}`] : []));
}
