// The utterances of two items: gold once, and below it what either predicted, those first that differ most.

async function showBoth({ search = "", ...state }) {
  const [first, second, paired] = pairOf(state);
  const utterances = paired ? await readBoth(JSON.stringify([first, second])) : [];
  const wanted = search.trim().toLowerCase();
  const held = utterances.filter(({ id, speaker }) =>
    [id, speaker].some((text) => text.toLowerCase().includes(wanted)),
  );
  const titles = [first, second].map(titleOf);
  if (byId("search").value !== search) byId("search").value = search;
  byId("search").oninput = ({ target }) => change({ search: target.value });
  byId("both-told").textContent = paired
    ? tellBoth([first, second], utterances.length, held.length, wanted)
    : `${titles.join(" and ")} are not of the same utterances with the same gold phones.`;
  fillByTens(byId("both"), byId("both-more"), held, (one) => bothLine(one, titles));
}

/** The utterances that the page carries of both items of a pair, and the places of their pairs of phones. */
const readBoth = once(async (pair) => {
  const items = await Promise.all(JSON.parse(pair).map(openCorpus));
  const [{ ids, speakers }, other] = items.map(({ alignments }) => alignments);
  const places = new Map(other.ids.map((id, u) => [id, u]));
  const common = [...ids.entries()].filter(([, id]) => places.has(id));
  const utterances = common.map(([u, id]) => {
    const columns = together(items, [u, places.get(id)]);
    const wrong = (side) => columns.filter(({ gold, answers }) => isWrong(answers[side], gold)).length;
    const differ = columns.filter(({ answers }) => answers[0] !== answers[1]).length;
    return { id, speaker: speakers[u], columns, errors: [wrong(0), wrong(1)], differ };
  });
  return utterances.sort((a, b) => b.differ - a.differ);
});

const isWrong = (answer, gold) => answer !== null && answer !== gold;

function tellBoth(pair, number, held, wanted) {
  const some = `${wanted && `${plain(held)} of `}${plain(number)} utterances${wanted && ` hold “${wanted}”`}`;
  const isPart = page.corpora.some(({ name, sampled }) => sampled && pair.includes(name));
  const sampled = isPart ? "; of those that the page carries of both" : "";
  const [first, second] = pair.map(titleOf);
  return `${some}${sampled}. A: ${first}; B: ${second}. Wrong phones are underlined; where the two differ, the ground is grey.`;
}

function bothLine({ id, speaker, columns, errors, differ }, titles) {
  const counts = titles.map((title, side) => `${title} ${errors[side]} wrong`).join(", ");
  const by = speaker ? ` speaker ${speaker}` : "";
  const head = element("p", { class: "id" }, element("b", {}, id), element("span", { class: "small" }, by));
  const line = element("p", { class: "small" }, `${counts}; ${differ} predicted differently`);
  const sides = titles.map((title, side) => element("span", { title }, "AB"[side]));
  const heads = element("li", { class: "sides", "aria-hidden": "true" }, "gold", ...sides);
  const pairs = columns.map((one) => bothColumn(one, titles));
  return element("li", {}, head, line, element("ol", { class: "pairs both" }, heads, ...pairs));
}

function bothColumn({ gold, answers }, titles) {
  const made = element("li", { class: answers[0] === answers[1] ? null : "apart" }, element("span", {}, gold));
  for (const [place, phone] of answers.entries()) {
    const unseen = element("span", { class: "unseen" }, `${titles[place]} `);
    made.append(element("span", { class: isWrong(phone, gold) ? "wrong" : null }, unseen, phone ?? " "));
  }
  return made;
}
