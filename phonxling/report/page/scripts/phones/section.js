// One phone: what became of it, and what it stands for.

import { change } from "../address.js";
import { number } from "../data.js";
import { byId, element, fillSelect, shown, withInterval } from "../elements.js";

const TOLD = {
  gold: [
    ["Tokens", (row) => shown(number(row.tokens))],
    ["Heard right", (row) => interval(row, "accuracy")],
    ["Deleted", (row) => shown(number(row.deletion_rate))],
    ["Entropy of what it is heard as, bits", (row) => interval(row, "entropy")],
    ["Effective number of phones that it is heard as", (row) => shown(number(row.perplexity), 2)],
    ["Nearest by features", (row) => row.nearest || "–"],
    ["Most often confused with", (row) => row.confused_with || "–"],
    ["Kendall’s τ of confusions with feature similarity", (row) => shown(number(row.tau), 2)],
    ["Note", (row) => row.note || ""],
  ],
  predicted: [
    ["Tokens", (row) => shown(number(row.tokens))],
    ["Right when heard", (row) => interval(row, "accuracy")],
    ["Entropy of what it stands for, bits", (row) => interval(row, "entropy")],
    ["Effective number of phones that it stands for", (row) => shown(number(row.perplexity), 2)],
    ["Note", (row) => row.note || ""],
  ],
};

const SIDES = { gold: "as gold phone", predicted: "as heard phone" };

const interval = (row, name) =>
  withInterval(number(row[name]), number(row[`${name}_low`]), number(row[`${name}_high`]));

export const phones = { id: "phones", keys: ["phone"], show };

/** Fills the section on single phones for a corpus. */
function show(state, corpus) {
  const names = [...new Set(corpus.phones.map((row) => row.phone))];
  const chosen = names.includes(state.phone) ? state.phone : names[0];
  fillSelect(
    byId("one-phone"),
    names.map((name) => [name, name]),
    chosen,
  );
  byId("one-phone").onchange = ({ target }) => change({ phone: target.value }, { step: true });
  describe(corpus, chosen);
}

function describe(corpus, phone) {
  const parts = Object.keys(TOLD).map((side) => {
    const row = corpus.phones.find((each) => each.side === side && each.phone === phone);
    return row && described(corpus, side, row);
  });
  byId("phone-told").replaceChildren(...parts.filter(Boolean));
}

function described(corpus, side, row) {
  const facts = TOLD[side].map(([name, told]) => [name, told(row)]).filter(([, text]) => text !== "");
  const list = element("dl", {});
  for (const [name, text] of facts) list.append(element("dt", {}, name), element("dd", {}, text));
  return element("section", {}, element("h3", {}, `${row.phone} ${SIDES[side]}`), list, bars(corpus, side, row.phone));
}

/** The most frequent partners of a phone, as bars. */
function bars(corpus, side, phone) {
  const other = side === "gold" ? "predicted" : "gold";
  const own = corpus.confusions
    .filter((row) => row[side] === phone)
    .map((row) => [row[other], number(row.count)])
    .sort((a, b) => b[1] - a[1]);
  const total = own.reduce((sum, [, count]) => sum + count, 0);
  const list = element("ol", { class: "bars", "aria-label": side === "gold" ? "heard as" : "stands for" });
  for (const [name, count] of own.slice(0, 8)) {
    const meter = element("span", { class: "bar" });
    meter.style.setProperty("--v", `${(100 * count) / own[0][1]}%`);
    const share = `${shown(count)} (${shown((100 * count) / total, 1)} %)`;
    list.append(element("li", {}, element("b", {}, name), meter, element("span", {}, share)));
  }
  return list;
}
