// The phones in the order of the chart, each with a bar of its entropy; of the chosen one what became of it.

import { addressOf } from "../address.js";
import { number } from "../data.js";
import { byId, cut, element, shown } from "../elements.js";
import { FEW, goldOf, pictureLink } from "../pictures/phones.js";
import { factsOf } from "./facts.js";

const LONGEST = 40; // letters

export const phones = { id: "phones", keys: ["phone"], show, place };

/** Where a state leads: to the phone that it names. */
function place(state) {
  return byId(state.phone && !byId("one-phone").hidden ? "one-phone" : "phones-section");
}

/** Shows the bars, and the phone that a state names. */
function show(state, corpus) {
  const gold = goldOf(corpus);
  byId("phones-section").hidden = gold.length === 0;
  pictureLink("entropy", corpus);
  const most = Math.max(...gold.map(({ row }) => number(row.entropy) || 0), 1);
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
  return element("li", {}, element("a", { href, title, "aria-label": title, "aria-current": current }, level, element("b", {}, cut(phone, 6))));
}

function describe(corpus, phone) {
  byId("one-phone-title").replaceChildren(element("b", {}, cut(phone, LONGEST)), ` in ${cut(corpus.title, LONGEST)}`);
  const to = (state, text) => element("a", { href: addressOf({ corpus: corpus.name, ...state }) }, text);
  const links = [to({ partners: phone }, "In the matrix"), to({ at: "map", phone }, "On the map"), to({ search: phone }, "In utterances")];
  byId("one-phone-links").replaceChildren(...links.flatMap((link) => [link, " "]));
  byId("phone-told").replaceChildren(...factsOf(corpus, phone));
}
