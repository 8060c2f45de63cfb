// Two alignments with one gold sequence as one: a column a gold phone, and a column for what either inserts between two.

const { GAP } = shared;

/**
 * The columns of an utterance of two items, by its place in each: the gold phone, and what either predicted; ∅ for a deleted
 * or inserted phone, null where one item inserts and the other does not.
 */
function together(items, places) {
  const [first, second] = items.map((item, side) => tokens(item, places[side]));
  const columns = [];
  for (let token = 0; token < Math.max(first.length, second.length); token++) {
    const inserted = [first[token]?.before ?? [], second[token]?.before ?? []];
    for (let at = 0; at < Math.max(inserted[0].length, inserted[1].length); at++) {
      columns.push({ gold: GAP, answers: inserted.map((phones) => phones[at] ?? null) });
    }
    const gold = first[token]?.gold ?? second[token]?.gold;
    if (gold !== null) columns.push({ gold, answers: [first[token]?.answer ?? GAP, second[token]?.answer ?? GAP] });
  }
  return columns;
}

/** The gold tokens of an utterance, each with its answer and what was inserted before it; last the end, gold null. */
function tokens(item, utterance) {
  const { offsets, gold, predicted } = item.alignments;
  const made = [];
  let before = [];
  for (let place = offsets[utterance]; place < offsets[utterance + 1]; place++) {
    const answer = item.predicted[predicted[place]] ?? GAP;
    const own = item.gold[gold[place]] ?? null;
    if (own === null) {
      before.push(answer);
    } else {
      made.push({ gold: own, answer, before });
      before = [];
    }
  }
  return [...made, { gold: null, answer: null, before }];
}

Object.assign(shared, { together });
