// The utterances behind a cell: aligned phones one above the other, the cell's pair marked.

import { addressOf } from "../address.js";
import { utterancesWith } from "../corpus.js";
import { GAP } from "../data.js";
import { byId, element, folded, shown } from "../elements.js";
import { alignedPairs } from "./pairs.js";

const AT_ONCE = 20;

/** Shows the utterances that hold a pair; `whole` is the count of the tables. */
export function showUtterances(corpus, gold, predicted, speaker, whole) {
  const codes = [codeOf(corpus.gold, gold), codeOf(corpus.predicted, predicted)];
  const found = codes.includes(-1) ? [] : utterancesWith(corpus, ...codes, speaker);
  byId("behind").hidden = false;
  byId("behind-title").replaceChildren("Gold ", folded(gold), " heard as ", folded(predicted));
  byId("behind-count").textContent = said(corpus, found, whole, codes.includes(-1));
  const list = byId("behind-list");
  list.replaceChildren();
  const more = byId("behind-more");
  more.onclick = () => {
    const first = list.childElementCount;
    list.append(...found.slice(first, first + AT_ONCE).map(([u]) => utterance(corpus, u, ...codes)));
    more.hidden = list.childElementCount >= found.length;
    more.textContent = `Show more (${found.length - list.childElementCount} left)`;
  };
  more.onclick();
}

/** Hides them. */
export function hideUtterances() {
  byId("behind").hidden = true;
}

function codeOf(phones, phone) {
  return phone === GAP ? phones.length : phones.indexOf(phone);
}

function said(corpus, found, whole, unheard) {
  if (unheard) return "This column is of the posteriors; the predictions never have this phone.";
  const tokens = found.reduce((sum, [, times]) => sum + times, 0);
  const here = `${plural(tokens, "token")} in ${plural(found.length, "utterance")}`;
  if (!corpus.sampled) return `${here}.`;
  return `${here} of the sample that the page carries; ${plural(whole, "token")} in the whole corpus.`;
}

const plural = (count, noun) => `${shown(count)} ${noun}${count === 1 ? "" : "s"}`;

function utterance(corpus, u, goldCode, predictedCode) {
  const { ids, speakers, gold, predicted } = corpus.alignments;
  const hit = (place) => gold[place] === goldCode && predicted[place] === predictedCode;
  const speaker = speakers[u] ? element("span", { class: "speaker" }, ` speaker ${speakers[u]}`) : null;
  const title = element(
    "p",
    { class: "id" },
    element("a", { href: addressOf({ corpus: corpus.name, utterance: ids[u] }) }, ids[u]),
    speaker,
  );
  return element("li", {}, title, alignedPairs(corpus, u, { hit }));
}
