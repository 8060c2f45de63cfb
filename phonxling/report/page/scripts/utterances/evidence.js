// The utterances behind a cell: aligned phones one above the other, the cell's pair marked.

import { utterancesWith } from "../corpus.js";
import { GAP } from "../data.js";
import { byId, element, folded, shown } from "../elements.js";

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
  const { ids, speakers, offsets, gold, predicted } = corpus.alignments;
  const pairs = element("ol", { class: "pairs" });
  for (let place = offsets[u]; place < offsets[u + 1]; place++) {
    const phones = [corpus.gold[gold[place]] ?? GAP, corpus.predicted[predicted[place]] ?? GAP];
    const hit = gold[place] === goldCode && predicted[place] === predictedCode;
    pairs.append(pair(...phones, hit));
  }
  const speaker = speakers[u] ? element("span", { class: "speaker" }, ` speaker ${speakers[u]}`) : null;
  return element("li", {}, element("p", { class: "id" }, element("b", {}, ids[u]), speaker), pairs);
}

function pair(gold, predicted, hit) {
  const made = element("li", {}, element("span", {}, gold), element("span", {}, predicted));
  if (gold !== predicted) made.classList.add("wrong");
  if (hit) {
    made.classList.add("hit");
    made.append(element("span", { class: "unseen" }, "this pair"));
  }
  return made;
}
