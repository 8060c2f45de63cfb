// The aligned pairs that the page carries, under conditions: a speaker, a gold neighbour on either side, a position.

const CONDITIONS = ["speaker", "left", "right", "position"];
const POSITIONS = ["initial", "medial", "final", "alone"]; // as in the table of contexts
const EDGE = "#"; // the neighbour at an utterance's edge

/** The conditions of a state that are set. */
const conditionsOf = (state) => Object.fromEntries(CONDITIONS.map((name) => [name, state[name] ?? ""]));

const anyOf = (conditions) => CONDITIONS.some((name) => conditions[name]);

/** Whether insertions are left out: they have no gold phone, and so no neighbour and no position. */
const inContext = ({ left, right, position }) => Boolean(left || right || position);

/** Calls `take(utterance, place)` for each pair under the conditions. */
function eachPair(corpus, conditions, take) {
  const { offsets, speakers } = corpus.alignments;
  const visit = inContext(conditions) ? inContexts(corpus, conditions, take) : eachOf(take);
  for (let u = 0; u + 1 < offsets.length; u++) {
    if (!conditions.speaker || speakers[u] === conditions.speaker) visit(u, offsets[u], offsets[u + 1]);
  }
}

const eachOf = (take) => (u, first, end) => {
  for (let place = first; place < end; place++) take(u, place);
};

function inContexts(corpus, { left, right, position }, take) {
  const { gold } = corpus.alignments;
  const gap = corpus.gold.length;
  const [before, behind] = [left, right].map((name) => codesOf(corpus, name));
  return (u, first, end) => {
    const places = [];
    for (let place = first; place < end; place++) if (gold[place] !== gap) places.push(place);
    places.forEach((place, number) => {
      const sides = [places[number - 1], places[number + 1]].map((each) => (each === undefined ? EDGE : gold[each]));
      if (before && !before.has(sides[0])) return;
      if (behind && !behind.has(sides[1])) return;
      if (!position || positionOf(...sides) === position) take(u, place);
    });
  };
}

function positionOf(left, right) {
  if (left === EDGE) return right === EDGE ? "alone" : "initial";
  return right === EDGE ? "final" : "medial";
}

/** The codes of the gold phones that a condition names (a phone, a class, the edge); null where none is set. */
function codesOf(corpus, name) {
  if (!name) return null;
  const code = corpus.gold.indexOf(name);
  if (code >= 0 || name === EDGE) return new Set([name === EDGE ? EDGE : code]);
  return new Set(
    (classesOf(corpus)[name] ?? []).map((phone) => corpus.gold.indexOf(phone)).filter((each) => each >= 0),
  );
}

/** The gold phones of each class that the table of phones names; each phone is in one. */
function classesOf(corpus) {
  const classes = {};
  for (const { side, phone, class: name } of corpus.phones) {
    if (side === "gold" && name) classes[name] = [...(classes[name] ?? []), phone];
  }
  return classes;
}

/** The counts of the carried pairs under the conditions: a matrix, rows gold, ∅ last. */
function countPairs(corpus, conditions) {
  const columns = corpus.predicted.length + 1;
  const counts = new Float64Array((corpus.gold.length + 1) * columns);
  const { gold, predicted } = corpus.alignments;
  eachPair(corpus, conditions, (_, place) => {
    counts[gold[place] * columns + predicted[place]] += 1;
  });
  return counts;
}

modules["matrix/counting"] = {
  anyOf,
  classesOf,
  conditionsOf,
  countPairs,
  eachPair,
  EDGE,
  inContext,
  POSITIONS,
};
