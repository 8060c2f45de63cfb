// The utterances of two items: gold once, and below it what either predicted, those first that differ most.

const { change } = modules.address;
const { openCorpus } = modules.corpus;
const { page } = modules.data;
const { byId, element, fillByTens, fillSelect } = modules.elements;
const { plain } = modules.rounding;
const { pairOf, titleOf } = modules["comparison/pairs"];
const { together } = modules["comparison/together"];

const ORDERS = {
  differ: [() => "most different first", (a, b) => b.differ - a.differ],
  first: [([first]) => `${first} better first`, (a, b) => lead(b) - lead(a)],
  second: [([, second]) => `${second} better first`, (a, b) => lead(a) - lead(b)],
  id: [() => "by id", (a, b) => a.id.localeCompare(b.id, "en", { numeric: true })],
};
const lead = ({ errors: [first, second] }) => second - first; // errors that the first has less
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
  const titles = [first, second].map(titleOf);
  fillControls(state, order, titles);
  byId("both-told").textContent = told({ paired, first, second, number: utterances.length, held, wanted });
  fillByTens(byId("both"), byId("both-more"), held.sort(ORDERS[order][1]), (one) => drawn(one, titles));
}

function fillControls({ search }, order, titles) {
  fillSelect(
    byId("both-order"),
    Object.entries(ORDERS).map(([key, [words]]) => [key, words(titles)]),
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
    const wrong = (side) =>
      columns.filter(({ gold, answers }) => answers[side] !== null && answers[side] !== gold).length;
    const differ = columns.filter(({ answers }) => answers[0] !== answers[1]).length;
    return { id, speaker: items[0].alignments.speakers[u], columns, errors: [wrong(0), wrong(1)], differ };
  });
  read = { key, utterances };
  return utterances;
}

function told({ paired, first, second, number, held, wanted }) {
  if (!paired)
    return `${titleOf(first)} and ${titleOf(second)} are not of the same utterances with the same gold phones.`;
  const some = wanted
    ? `${plain(held.length)} of ${plain(number)} utterances hold “${wanted}”`
    : `${plain(number)} utterances`;
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

function column({ gold, answers }, titles) {
  const made = element("li", { class: answers[0] === answers[1] ? null : "apart" }, element("span", {}, gold));
  answers.forEach((phone, place) => {
    const wrong = phone !== null && phone !== gold;
    const unseen = element("span", { class: "unseen" }, `${titles[place]} `);
    made.append(element("span", { class: wrong ? "wrong" : null }, unseen, phone ?? " "));
  });
  return made;
}

modules["comparison/both"] = { both };
