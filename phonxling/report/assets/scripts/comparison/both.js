// The utterances of two items: gold once, and below it what either predicted, those first that differ most.

const { byId, change, element, fillByTens, openCorpus, page, pairOf, plain, titleOf, together } = shared;

let read = { key: "", utterances: [] };

const both = { id: "utterances", keys: ["other", "search"], show };

async function show(state) {
  const [first, second, paired] = pairOf(state);
  const utterances = paired ? await readBoth(first, second) : [];
  const wanted = (state.search ?? "").trim().toLowerCase();
  const held = utterances.filter(({ id, speaker }) =>
    [id, speaker].some((text) => text.toLowerCase().includes(wanted)),
  );
  const titles = [first, second].map(titleOf);
  if (byId("search").value !== (state.search ?? "")) byId("search").value = state.search ?? "";
  byId("search").oninput = ({ target }) => change({ search: target.value });
  byId("both-told").textContent = told({ paired, first, second, number: utterances.length, held, wanted });
  fillByTens(byId("both"), byId("both-more"), held, (one) => drawn(one, titles));
}

/** The utterances that the page carries of both items, and the places of their pairs; read once a pair. */
async function readBoth(first, second) {
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
  read = { key, utterances: utterances.sort((a, b) => b.differ - a.differ) };
  return read.utterances;
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

Object.assign(shared, { both });
