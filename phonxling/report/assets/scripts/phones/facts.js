// What the tables say of one phone: its numbers, in words, and what it was aligned with, as bars that lead to cells.

import { addressOf } from "../address.js";
import { GAP, number } from "../data.js";
import { cut, element, shown } from "../elements.js";
import { rounded } from "../rounding.js";

const LONGEST = 12; // letters of a name
const MOST = 8; // partners with a bar of their own; the others are one

const FACTS = {
  gold: [
    ["Spoken", (row) => `${shown(number(row.tokens))} tokens`],
    ["Heard as itself, share of its tokens", (row) => interval(row, "accuracy")],
    ["Deleted, share of its tokens", (row) => interval(row, "deletion_rate")],
    ["Entropy of what it was heard as, bits", (row) => interval(row, "entropy")],
    ["As uncertain as a free choice among so many phones", (row) => interval(row, "perplexity")],
    [
      "Mean cost of the phones that it was taken for: 0 alike in all features, 1 in none",
      (row) => interval(row, "mean_substitution_cost"),
    ],
    [
      "Is it taken for phones like it? Kendall’s τ; at 1, the more alike, the more often",
      (row) => interval(row, "tau"),
    ],
  ],
  predicted: [
    ["Heard", (row) => `${shown(number(row.tokens))} tokens`],
    ["Right, share of its tokens", (row) => interval(row, "accuracy")],
    ["Entropy of what it stands for, bits", (row) => interval(row, "entropy")],
    ["As uncertain as a free choice among so many phones", (row) => interval(row, "perplexity")],
  ],
};
const TITLES = { gold: "What became of it", predicted: "What it stands for where it is heard" };
const ABSENT = { gold: "Never spoken: it is only heard.", predicted: "Never heard: no predicted phone is this one." };
const BARS = { gold: "Heard as, share of all its tokens", predicted: "Stands for, share of all its tokens" };
const GAPS = { gold: "deleted", predicted: "inserted" };

const interval = (row, name) =>
  rounded(number(row[name]), number(row[`${name}_low`] ?? ""), number(row[`${name}_high`] ?? ""));

/** The two blocks of a phone: as it was spoken, and as it was heard. */
export const factsOf = (corpus, phone) => Object.keys(FACTS).map((side) => block(corpus, side, phone));

function block(corpus, side, phone) {
  const row = corpus.phones.find((each) => each.side === side && each.phone === phone);
  const title = element("h4", {}, TITLES[side]);
  if (!corpus[side].includes(phone)) return element("section", {}, title, element("p", {}, ABSENT[side]));
  const facts = FACTS[side].map(([name, told]) => [name, row ? told(row) : ""]).filter(([, text]) => text);
  const list = element(
    "dl",
    {},
    ...facts.flatMap(([name, text]) => [element("dt", {}, name), element("dd", {}, text)]),
  );
  const note = row?.note ? element("p", { class: "note" }, row.note) : null;
  return element(
    "section",
    { class: side },
    title,
    list,
    note,
    element("p", { class: "small" }, BARS[side]),
    bars(corpus, side, phone),
  );
}

/** What a phone was aligned with, the most frequent first: [phone, tokens]. */
export function partnersOf(corpus, side, phone) {
  const other = side === "gold" ? "predicted" : "gold";
  return corpus.confusions
    .filter((row) => row[side] === phone && number(row.count) > 0)
    .map((row) => [row[other], number(row.count)])
    .sort((one, another) => another[1] - one[1]);
}

function bars(corpus, side, phone) {
  const partners = partnersOf(corpus, side, phone);
  const total = partners.reduce((sum, [, count]) => sum + count, 0);
  const list = element("ol", { class: "bars" });
  for (const [partner, count] of partners.slice(0, MOST)) {
    const [gold, heard] = side === "gold" ? [phone, partner] : [partner, phone];
    const name = partner === GAP ? `${GAP} ${GAPS[side]}` : partner;
    const link = linkTo({ corpus: corpus.name, gold, heard }, name);
    list.append(bar(link, count, { total, most: partners[0][1], kind: partner === phone ? "right" : "other" }));
  }
  const others = partners.slice(MOST);
  if (!others.length) return list;
  const rest = others.reduce((sum, [, count]) => sum + count, 0);
  const link = linkTo({ corpus: corpus.name, partners: phone }, `${others.length} others`);
  list.append(bar(link, rest, { total, most: Math.max(partners[0][1], rest), kind: "rest" }));
  return list;
}

/** A link to a state, by a name that may be without end. */
export const linkTo = (state, name) => element("a", { href: addressOf(state), title: name }, cut(name, LONGEST));

/** A line of bars: what it is of, the bar, its number and its share. */
export function bar(name, count, { total, most, kind }) {
  const length = element("span", { class: `bar ${kind}` });
  length.style.setProperty("--v", `${(100 * count) / most}%`);
  const share = `${shown(count, 1)} (${((100 * count) / total).toFixed(1)} %)`;
  return element("li", {}, name, length, element("span", {}, share));
}
