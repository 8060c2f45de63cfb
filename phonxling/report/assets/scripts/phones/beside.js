// The table of contexts of one phone.

import { change } from "../address.js";
import { GAP } from "../data.js";
import { byId, cut, element, fillSelect, shown } from "../elements.js";
import { contextsOf, KINDS } from "./contexts.js";
import { linkTo } from "./facts.js";

const AT_ONCE = 10;
const FEW = 20; // tokens
const EXAMPLES = 3;
const LONGEST = 40; // letters of a context
const EDGE = "edge of the utterance";

/** Shows in which contexts a phone was heard right and what else it was heard as; nothing for one that is only heard. */
export function showContexts(corpus, phone, known, wanted) {
  const kinds = Object.keys(KINDS).filter((kind) => known.classOf.size || !kind.endsWith("class"));
  const kind = kinds.includes(wanted) ? wanted : kinds[0];
  const { contexts, isWhole } = contextsOf(corpus, phone, kind, known);
  byId("phone-contexts").hidden = contexts.length === 0;
  if (!contexts.length) return;
  fillSelect(
    byId("context-kind"),
    kinds.map((each) => [each, KINDS[each]]),
    kind,
  );
  byId("context-kind").oninput = ({ target }) => change({ beside: target.value });
  const of = isWhole ? "" : " Counted in the utterances that the page carries.";
  byId("context-told").textContent =
    `Counts alone, which no test compares; contexts of fewer than ${FEW} tokens are pale.${of}`;
  const draw = (most) => {
    byId("context-table").replaceChildren(...tableOf(corpus, phone, contexts.slice(0, most)));
    byId("context-more").hidden = most >= contexts.length;
    byId("context-more").textContent = `Show all ${contexts.length}`;
  };
  byId("context-more").onclick = () => draw(contexts.length);
  draw(AT_ONCE);
}

function tableOf(corpus, phone, contexts) {
  const names = ["Beside", "Tokens", "Heard as itself", "Most often heard as"];
  const head = element("tr", {}, ...names.map((name) => element("th", { scope: "col" }, name)));
  const rows = contexts.map(({ context, tokens, right, heard }) => {
    const level = element("span", { class: "meter" }, element("span", { class: "level" }));
    level.style.setProperty("--v", `${(100 * right) / tokens}%`);
    const links = heard
      .slice(0, EXAMPLES)
      .flatMap(([each, count], which) => [
        which ? ", " : "",
        linkTo({ corpus: corpus.name, gold: phone, heard: each }, each === GAP ? `${GAP} deleted` : each),
        ` ${shown(count)}`,
      ]);
    return element(
      "tr",
      { class: tokens < FEW ? "few" : null },
      element("th", { scope: "row" }, context === "#" ? EDGE : cut(context, LONGEST)),
      element("td", { class: "number" }, shown(tokens)),
      element("td", {}, level, ` ${shown((100 * right) / tokens, 0)} %`),
      element("td", {}, ...links),
    );
  });
  return [element("thead", {}, head), element("tbody", {}, ...rows)];
}
