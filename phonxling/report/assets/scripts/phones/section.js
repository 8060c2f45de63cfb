// The phones in the order of the chart, each with a bar of its entropy; of the chosen one what became of it.

const { addressOf } = modules.address;
const { GAP, number, page } = modules.data;
const { byId, cut, element, shown } = modules.elements;
const { FEW, goldOf, percent, pictureLink } = modules["pictures/phones"];
const { rounded } = modules.rounding;

const LONGEST = 40; // letters
const MOST = 8; // partners that are named
const SIDES = {
  gold: ["What became of it", "predicted"],
  predicted: ["What it stands for where it is predicted", "gold"],
};
const FACTS = ["tokens", "accuracy", "deletion_rate", "entropy", "perplexity"];
const WEAK = {
  "too-few-clusters": "Fewer than five speakers or utterances have it, or four equal ones: no intervals.",
  "bias-warning": "Fewer than 20 of its tokens have an answer: its entropy is not to be trusted.",
};

const phones = { id: "phones", keys: ["phone"], show, place };

/** Where a state leads: to the phone that it names. */
function place(state) {
  return byId(state.phone && !byId("one-phone").hidden ? "one-phone" : "phones-section");
}

/** Shows the bars, and the phone that a state names. */
function show(state, corpus) {
  const gold = goldOf(corpus);
  byId("phones-section").hidden = gold.length === 0;
  pictureLink("phones", corpus);
  const most = Math.max(...gold.map(({ row }) => number(row.entropy) || 0), 1);
  const highest = gold.find(({ row }) => number(row.entropy) === most);
  byId("phones-told").textContent = highest ? `The highest is ${shown(most, 2)} bits, of ${highest.phone}.` : "";
  byId("phone-list").replaceChildren(...gold.map((one) => bar(corpus, one, most, state.phone)));
  const known = [...corpus.gold, ...corpus.predicted].includes(state.phone);
  byId("one-phone").hidden = !known;
  if (known) describe(corpus, state.phone);
}

function bar(corpus, { phone, tokens, row }, most, chosen) {
  const entropy = number(row.entropy);
  const title = `${phone}: entropy ${shown(entropy, 2)} bits, ${shown(tokens)} tokens`;
  const level = element("span", { class: tokens < FEW ? "level few" : "level" });
  level.style.setProperty("--v", `${(100 * (entropy || 0)) / most}%`);
  const href = addressOf({ corpus: corpus.name, phone });
  const current = phone === chosen ? "true" : null;
  return element(
    "li",
    {},
    element("a", { href, title, "aria-label": title, "aria-current": current }, level, element("b", {}, cut(phone, 6))),
  );
}

function describe(corpus, phone) {
  byId("one-phone-title").replaceChildren(element("b", {}, cut(phone, LONGEST)), ` in ${cut(corpus.title, LONGEST)}`);
  const to = (state, text) => element("a", { href: addressOf({ corpus: corpus.name, ...state }) }, text);
  const links = [
    to({ partners: phone }, "In the matrix"),
    to({ at: "map", phone }, "On the map"),
    to({ search: phone }, "In utterances"),
  ];
  byId("one-phone-links").replaceChildren(...links.flatMap((link) => [link, " "]));
  byId("phone-told").replaceChildren(...Object.keys(SIDES).map((side) => facts(corpus, side, phone)));
}

/** What the table of phones says of a phone of a side, each number with its meaning, and what it was aligned with. */
function facts(corpus, side, phone) {
  const [title, other] = SIDES[side];
  const row = corpus.phones.find((each) => each.side === side && each.phone === phone);
  const made = element("section", { class: side }, element("h4", {}, title));
  if (!row) made.append(element("p", {}, side === "gold" ? "It is no gold phone." : "No predicted phone is this one."));
  const known = FACTS.filter((name) => row?.[name]);
  const lines = known.flatMap((name) => {
    const [value, low, high] = [name, `${name}_low`, `${name}_high`].map((column) => number(row[column]));
    const meaning = page.meanings.phones?.columns[name] ?? name;
    return [element("dt", {}, meaning), element("dd", {}, rounded(value, low, high))];
  });
  made.append(element("dl", {}, ...lines));
  if (WEAK[row?.status]) made.append(element("p", { class: "note" }, WEAK[row.status]));
  const partners = corpus.confusions
    .filter((each) => each[side] === phone && number(each.count) > 0)
    .map((each) => [each[other], number(each.count)])
    .sort((one, another) => another[1] - one[1]);
  const total = partners.reduce((sum, [, count]) => sum + count, 0);
  const chips = partners.slice(0, MOST).flatMap(([partner, count]) => {
    const [gold, heard] = side === "gold" ? [phone, partner] : [partner, phone];
    const name = partner === GAP ? `${GAP} ${side === "gold" ? "deleted" : "inserted"}` : cut(partner, LONGEST);
    const href = addressOf({ corpus: corpus.name, gold, heard });
    return [element("a", { href, class: "chip" }, `${name} ${percent(count / total)}`), " "];
  });
  made.append(element("p", { class: "chips" }, ...chips));
  return made;
}

modules["phones/section"] = { phones };
