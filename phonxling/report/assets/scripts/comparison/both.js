// The utterances of two items: gold once, and below it what either heard, those first that they heard most differently.

const { change } = modules.address;
const { openCorpus } = modules.corpus;
const { page } = modules.data;
const { byId, element, fillByTens, fillSelect, shown } = modules.elements;
const { pairOf, titleOf } = modules["comparison/pairs"];
const { together } = modules["comparison/together"];

const ORDERS = {
  differ: ["most different first", (a, b) => b.differ - a.differ],
  first: ["worse for the first", (a, b) => b.errors[0] - b.errors[1] - (a.errors[0] - a.errors[1])],
  second: ["worse for the second", (a, b) => a.errors[0] - a.errors[1] - (b.errors[0] - b.errors[1])],
  id: ["by id", (a, b) => a.id.localeCompare(b.id, "en", { numeric: true })],
};
let read = { key: "", utterances: [] };

const both = { id: "utterances", keys: ["other", "search", "utterances"], show };

async function show(state) {
  const [first, second, paired] = pairOf(state);
  const utterances = paired ? await shared(first, second) : [];
  const wanted = (state.search ?? "").trim().toLowerCase();
  const order = ORDERS[state.utterances] ? state.utterances : "differ";
  const held = utterances.filter(({ id, speaker }) =>
    [id, speaker].some((text) => text.toLowerCase().includes(wanted)),
  );
  fillControls(state, order);
  byId("both-told").textContent = told({ paired, first, second, number: utterances.length, held, wanted });
  const titles = [first, second].map(titleOf);
  fillByTens(byId("both"), byId("both-more"), held.sort(ORDERS[order][1]), (one) => drawn(one, titles));
}

function fillControls({ search }, order) {
  fillSelect(
    byId("both-order"),
    Object.entries(ORDERS).map(([key, [text]]) => [key, text]),
    order,
  );
  if (byId("search").value !== (search ?? "")) byId("search").value = search ?? "";
  byId("search").oninput = ({ target }) => change({ search: target.value });
  byId("both-order").onchange = ({ target }) => change({ utterances: target.value });
}

/** The utterances that the page carries of both items, and the places of their pairs; read once a pair. */
async function shared(first, second) {
  const key = JSON.stringify([first, second]);
  if (read.key === key) return read.utterances;
  const items = await Promise.all([first, second].map(openCorpus));
  const places = new Map(items[1].alignments.ids.map((id, u) => [id, u]));
  const known = items[0].alignments.ids.map((id, u) => [id, u]).filter(([id]) => places.has(id));
  const utterances = known.map(([id, u]) => {
    const columns = together(items, [u, places.get(id)]);
    const wrong = (side) => columns.filter(({ gold, heard }) => heard[side] !== null && heard[side] !== gold).length;
    const differ = columns.filter(({ heard }) => heard[0] !== heard[1]).length;
    return { id, speaker: items[0].alignments.speakers[u], columns, errors: [wrong(0), wrong(1)], differ };
  });
  read = { key, utterances };
  return utterances;
}

function told({ paired, first, second, number, held, wanted }) {
  if (!paired)
    return `${titleOf(first)} and ${titleOf(second)} are not of the same utterances with the same gold phones.`;
  const some = wanted
    ? `${shown(held.length)} of ${shown(number)} utterances hold “${wanted}”`
    : `${shown(number)} utterances`;
  const part = page.corpora.some(({ name, sampled }) => sampled && (name === first || name === second));
  const sampled = part ? "; of those that the page carries of both" : "";
  return `${some}${sampled}. A: ${titleOf(first)}; B: ${titleOf(second)}. Wrong phones are underlined; where the two differ, the ground is grey.`;
}

function drawn({ id, speaker, columns, errors, differ }, titles) {
  const counts = titles.map((title, side) => `${title} ${errors[side]} wrong`).join(", ");
  const by = speaker ? ` speaker ${speaker}` : "";
  const head = element("p", { class: "id" }, element("b", {}, id), element("span", { class: "speaker" }, by));
  const line = element("p", { class: "small" }, `${counts}; ${differ} predicted differently`);
  const heads = element("li", { class: "sides", "aria-hidden": "true" }, "gold", ...titles.map(side));
  const pairs = columns.map((one) => column(one, titles));
  return element("li", {}, head, line, element("ol", { class: "pairs both" }, heads, ...pairs));
}

const side = (title, place) => element("span", { title }, String.fromCodePoint("A".codePointAt(0) + place));

function column({ gold, heard }, titles) {
  const made = element("li", { class: heard[0] === heard[1] ? null : "apart" }, element("span", {}, gold));
  heard.forEach((phone, place) => {
    const wrong = phone !== null && phone !== gold;
    const unseen = element("span", { class: "unseen" }, `${titles[place]} `);
    made.append(element("span", { class: wrong ? "wrong" : null }, unseen, phone ?? " "));
  });
  return made;
}

modules["comparison/both"] = { both };
