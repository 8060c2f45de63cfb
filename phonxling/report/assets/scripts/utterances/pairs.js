// The aligned phones of an utterance, gold above predicted: drawn alike wherever an utterance is shown.

/**
 * The pairs of an utterance as a list. `hit`: which of them is marked, by its place in the corpus' alignments.
 * `details`: each pair is a link to its cell, with the predicted phone's confidence and the time at which it begins, and
 * with what `below` makes of its place, if anything.
 */
function alignedPairs(corpus, u, { hit = () => false, details = false, below = () => null } = {}) {
  const { offsets } = corpus.alignments;
  const pairs = element("ol", { class: "pairs" });
  for (let place = offsets[u]; place < offsets[u + 1]; place++) {
    const made = alignedPair(corpus, place, hit(place), details);
    made.append(...[below(place)].filter(Boolean));
    pairs.append(made);
  }
  return pairs;
}

/** The names of a pair's phones. */
function phonesAt(corpus, place) {
  const { gold, predicted } = corpus.alignments;
  return [corpus.gold[gold[place]] ?? GAP, corpus.predicted[predicted[place]] ?? GAP];
}

/** When the phones of a pair begin and end, in seconds: of the gold phone where it has times, else of the predicted one. */
function timesAt({ goldStart, goldEnd, predictedStart, predictedEnd }, place) {
  const ofGold = [goldStart?.[place] ?? NaN, goldEnd?.[place] ?? NaN];
  return Number.isNaN(ofGold[1]) ? [predictedStart?.[place] ?? NaN, predictedEnd?.[place] ?? NaN] : ofGold;
}

function alignedPair(corpus, place, marked, details) {
  const [gold, predicted] = phonesAt(corpus, place);
  const phones = [element("span", {}, gold), element("span", {}, predicted)];
  const made = element("li");
  made.append(...(details ? [linkTo({ corpus: corpus.name, gold, predicted }, ...phones)] : phones));
  made.classList.toggle("wrong", gold !== predicted);
  made.classList.toggle("hit", marked);
  if (marked) made.append(element("span", { class: "unseen" }, "this pair"));
  if (details) made.append(...pairNumbers(corpus.alignments, place));
  return made;
}

/** The confidence and the time of a pair, where the corpus has them; an empty line where this pair has none. */
function pairNumbers(alignments, place) {
  const { confidence, goldEnd, predictedEnd } = alignments;
  const line = (value) => element("small", {}, Number.isNaN(value) ? "\u00a0" : value.toFixed(2));
  const time = (goldEnd || predictedEnd) && line(timesAt(alignments, place)[0]);
  return [confidence && line(confidence[place]), time].filter(Boolean);
}
