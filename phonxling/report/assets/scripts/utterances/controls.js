// What stands above the list of utterances: search and speaker, and how many were found.

const { change } = modules.address;
const { byId, cut, fillSelect, shown } = modules.elements;

const LONGEST = 40; // letters of a name

/** Fills the fields for a search and a speaker. */
function fillControls(corpus, { search = "", by = "" }) {
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
function countFound({ alignments }, asked, found, search) {
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

modules["utterances/controls"] = { countFound, fillControls };
