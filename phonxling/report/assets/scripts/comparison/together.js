// Two alignments with one gold sequence as one: a column a gold phone, and a column for what either inserts between two.

/**
 * The columns of an utterance of two items, by its place in each: the gold phone, and what either predicted; ∅ for a deleted
 * or inserted phone, null where one item inserts and the other does not.
 */
function together(items, places) {
  const [first, second] = items.map((item, side) => goldTokens(item, places[side]));
  return first.flatMap((token, at) => {
    const both = [token, second[at]];
    const most = Math.max(...both.map(({ before }) => before.length));
    const answersAt = (_, place) => ({ gold: GAP, answers: both.map(({ before }) => before[place] ?? null) });
    const inserted = Array.from({ length: most }, answersAt);
    return token.gold === null
      ? inserted
      : [...inserted, { gold: token.gold, answers: both.map(({ answer }) => answer) }];
  });
}

/** The gold tokens of an utterance, each with its answer and what was inserted before it; last the end, gold null. */
function goldTokens(item, utterance) {
  const { offsets, gold, predicted } = item.alignments;
  const made = [{ before: [] }];
  for (let place = offsets[utterance]; place < offsets[utterance + 1]; place++) {
    const answer = item.predicted[predicted[place]] ?? GAP;
    const own = item.gold[gold[place]];
    if (own === undefined) made.at(-1).before.push(answer);
    else {
      Object.assign(made.at(-1), { gold: own, answer });
      made.push({ before: [] });
    }
  }
  Object.assign(made.at(-1), { gold: null, answer: null });
  return made;
}
