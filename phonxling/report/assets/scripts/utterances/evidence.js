// The utterances behind a cell: aligned phones one above the other, the cell's pairs marked.

/** Shows the utterances of a corpus that hold pairs of a state's cell, with links to those of two; `count`: its tokens. */
function showEvidence(state, corpus, { corpus: own, other, speaker }, count) {
  const { gold, predicted } = state;
  const hits = hitsOf(corpus, { gold, predicted }, speaker);
  const utterances = [...hits.keys()];
  byId("behind").hidden = false;
  byId("behind-title").replaceChildren("Gold ", ...pairNames(gold, predicted));
  byId("behind-claim").textContent = claimOf(corpus, gold, predicted);
  byId("behind-count").textContent =
    predicted !== GAP && !corpus.predicted.includes(predicted)
      ? "This column is of the posteriors; the predictions never have this phone."
      : countOf(corpus, [...hits.values()], speaker ? null : count);
  const links = (other ? [own, other] : []).map(({ name, title }) => {
    const href = addressOf({ ...state, from: name === own.name ? "" : name });
    return element("a", { href, "aria-current": name === corpus.name || null }, title);
  });
  byId("behind-corpora").replaceChildren(...links);
  fillByTens(byId("behind-list"), byId("behind-more"), utterances, (u) => evidenceLine(corpus, u, hits.get(u)));
}

/** How large a share a pair of phones is of the gold phone's tokens, beside what the reference leads one to expect. */
function claimOf(corpus, gold, predicted) {
  const answers = answersOf(corpus, gold);
  const share = answers.find(([phone]) => phone === predicted)?.[1] ?? 0;
  if (predicted === GAP || !answers.length) return "";
  const own = corpus.expected.filter((row) => row.gold === gold);
  const row = own.find((each) => each.predicted === predicted);
  const reference = page.corpora.find(({ role }) => role === "reference");
  if (!row || !reference) return `${percent(share)} of all tokens of ${gold}.`;
  const common = new Set(own.filter(({ observed }) => number(observed) > 0).map(({ predicted }) => predicted));
  const inCommon = answers.reduce((sum, [phone, each]) => sum + (common.has(phone) ? each : 0), 0);
  const expected = (number(row.expected) * inCommon) / own.reduce((sum, each) => sum + number(each.expected), 0);
  const q = number(row.q);
  const tested = Number.isNaN(q) ? "not tested" : q < 0.001 ? "q < 0.001" : `q = ${Number(q.toPrecision(2))}`;
  return `${percent(share)} here, ${percent(expected)} expected from ${reference.title}, ${tested}.`;
}

/** The places of a cell's pairs, by utterance. */
function hitsOf(corpus, cell, speaker) {
  const [own, other] = [codeOf(corpus.gold, cell.gold), codeOf(corpus.predicted, cell.predicted)];
  const { gold, predicted } = corpus.alignments;
  const hits = new Map();
  eachPair(corpus, speaker, (u, place) => {
    if (gold[place] === own && predicted[place] === other) hits.set(u, [...(hits.get(u) ?? []), place]);
  });
  return hits;
}

const codeOf = (phones, name) => (name === GAP ? phones.length : phones.indexOf(name));

/** How many tokens stand behind a cell; of a sample also how many there are in all, where that is known. */
function countOf({ sampled, alignments }, places, count) {
  const whole = count === null ? "" : `; of all there are ${plural(count, "token")}`;
  const sample = sampled ? ` The page carries a sample of the utterances${whole}.` : "";
  const forced = alignments.forced ? " Gold times were found from the posteriors." : "";
  return `${plural(places.flat().length, "token")} in ${plural(places.length, "utterance")}.${sample}${forced}`;
}

function evidenceLine(corpus, u, hits) {
  const { ids, speakers } = corpus.alignments;
  const marked = new Set(hits);
  const speaker = speakers[u] ? element("span", { class: "small" }, ` speaker ${speakers[u]}`) : null;
  const title = element("p", { class: "id" }, linkTo({ corpus: corpus.name, utterance: ids[u] }, ids[u]), speaker);
  const facts = hits.map((place) => factsOf(corpus.alignments, place)).filter(Boolean);
  const lines = facts.map((fact) => element("p", { class: "small facts" }, fact));
  return element("li", {}, title, alignedPairs(corpus, u, { hit: (place) => marked.has(place) }), ...lines);
}

/** When a pair was, and how confident the recogniser: "gold 0.42–0.48 s, predicted 0.41–0.47 s, confidence 0.61". */
function factsOf({ goldStart, goldEnd, predictedStart, predictedEnd, confidence }, place) {
  const known = (values) => values && !Number.isNaN(values[place]);
  const span = (name, start, end) => known(start) && `${name} ${start[place].toFixed(2)}–${end[place].toFixed(2)} s`;
  const sure = known(confidence) && `confidence ${confidence[place].toFixed(2)}`;
  const facts = [span("gold", goldStart, goldEnd), span("predicted", predictedStart, predictedEnd), sure];
  return facts.filter(Boolean).join(", ");
}
