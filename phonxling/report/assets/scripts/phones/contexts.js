// What a phone was heard as beside other phones: from contexts.tsv where the run has that kind of context, else counted
// from the alignments that the page carries.

import { GAP, number } from "../data.js";

const EDGE = "#"; // how contexts.tsv writes the edge of an utterance
const POSITIONS = ["medial", "initial", "final", "alone"];

export const KINDS = {
  "left-class": "the class of the phone before it",
  "right-class": "the class of the phone after it",
  "left-phone": "the phone before it",
  "right-phone": "the phone after it",
  "both-class": "the classes of both",
  position: "its position in the utterance",
};

/** What a phone was heard as by context: { contexts: [{ context, tokens, right, heard }], isWhole }; most tokens first. */
export function contextsOf(corpus, phone, kind, { table, classOf }) {
  const stored = rowsOf(table, kind, classOf).filter((row) => row.gold === phone);
  const counts = stored.length ? counted(stored) : count(corpus, phone, kind, classOf);
  const contexts = [...counts].map(([context, heard]) => summed(context, heard, phone));
  contexts.sort((one, other) => other.tokens - one.tokens);
  return { contexts, isWhole: stored.length > 0 || !corpus.sampled };
}

/** The rows of contexts.tsv of a kind; it does not say whether its neighbours are phones or classes: their names do. */
function rowsOf(table, kind, classOf) {
  const [side, by] = kind.split("-");
  const rows = table.filter((row) => row.kind === side);
  if (side === "position" || side === "both") return rows;
  const classes = new Set([...classOf.values(), "other", EDGE]);
  const isByClass = rows.every(({ context }) => classes.has(context));
  return isByClass === (by === "class") ? rows : [];
}

function counted(rows) {
  const counts = new Map();
  for (const { context, predicted, count: tokens } of rows) add(counts, context, predicted, number(tokens));
  return counts;
}

function add(counts, context, heard, tokens) {
  if (!counts.has(context)) counts.set(context, new Map());
  const own = counts.get(context);
  own.set(heard, (own.get(heard) ?? 0) + tokens);
}

function count(corpus, phone, kind, classOf) {
  const { offsets, gold, predicted } = corpus.alignments;
  const [code, counts] = [corpus.gold.indexOf(phone), new Map()];
  const [side, by] = kind.split("-");
  const nameOf = (neighbour) => {
    if (neighbour === undefined) return EDGE;
    return by === "class" ? (classOf.get(corpus.gold[neighbour]) ?? "other") : corpus.gold[neighbour];
  };
  for (let u = 0; u + 1 < offsets.length; u++) {
    const spoken = []; // places of the utterance's gold phones
    for (let place = offsets[u]; place < offsets[u + 1]; place++) {
      if (gold[place] < corpus.gold.length) spoken.push(place);
    }
    for (const [which, place] of spoken.entries()) {
      if (gold[place] !== code) continue;
      const [before, after] = [gold[spoken[which - 1]], gold[spoken[which + 1]]];
      const names = { left: nameOf(before), right: nameOf(after), both: `${nameOf(before)} _ ${nameOf(after)}` };
      const context = names[side] ?? POSITIONS[(before === undefined ? 1 : 0) + (after === undefined ? 2 : 0)];
      add(counts, context, corpus.predicted[predicted[place]] ?? GAP, 1);
    }
  }
  return counts;
}

function summed(context, heard, phone) {
  const partners = [...heard].sort((one, other) => other[1] - one[1]);
  const tokens = partners.reduce((sum, [, times]) => sum + times, 0);
  return { context, tokens, right: heard.get(phone) ?? 0, heard: partners };
}
