// Search in the utterances of a corpus: for phones one after the other, or in their names.

const ANY = "_";
const NAMED = "id:";

/**
 * What a query asks for: `steps` when each of its words is a pattern of phones that the corpus has; otherwise `name`, and
 * the words that are no such pattern.
 */
function parseQuery(corpus, query) {
  const words = query.trim().split(/\s+/).filter(Boolean);
  if (!words.length) return { all: true };
  if (query.trim().startsWith(NAMED)) return { name: lowered(query.trim().slice(NAMED.length)), unknown: [] };
  const steps = words.map((word) => parseStep(corpus, word));
  const unknown = words.filter((_, place) => !steps[place]);
  return unknown.length ? { name: lowered(query.trim()), unknown } : { steps };
}

/** The utterances of a speaker (all when "") that a query finds: [utterance, how often]. */
function findUtterances({ alignments }, asked, speaker) {
  const { ids, speakers } = alignments;
  const found = [];
  ids.forEach((id, u) => {
    if (speaker && speakers[u] !== speaker) return;
    const times = asked.steps ? findSteps(alignments, asked.steps, u).length : Number(named(asked, id));
    if (times) found.push([u, times]);
  });
  return found;
}

/** Where an utterance holds the steps one after the other: of each occurrence the places of its pairs. */
function findSteps(alignments, steps, u) {
  const found = [];
  for (let place = alignments.offsets[u]; place < alignments.offsets[u + 1]; place++) {
    const places = follow(alignments, steps, place, alignments.offsets[u + 1]);
    if (places) found.push(places);
  }
  return found;
}

/** The places of steps of which the first is here; insertions between them that no step asks for are passed over. */
function follow({ gold, predicted }, steps, first, end) {
  const places = [];
  for (let place = first; place < end && places.length < steps.length; place++) {
    const step = steps[places.length];
    if (step.gold[gold[place]] && step.predicted[predicted[place]]) places.push(place);
    else if (place === first || gold[place] !== step.gap) return null;
  }
  return places.length === steps.length ? places : null;
}

const named = (asked, id) => asked.all || lowered(id).includes(asked.name);
const lowered = (text) => text.normalize("NFC").toLowerCase();

/** A step of a pattern, "k" or "k>g": which codes its gold and its predicted phone may have; null where there is none. */
function parseStep(corpus, word) {
  const gap = corpus.gold.length;
  const whole = codesOf(corpus.gold, word);
  if (whole) return { gold: whole, predicted: new Uint8Array(corpus.predicted.length + 1).fill(1), gap };
  for (let cut = word.indexOf(">"); cut > 0; cut = word.indexOf(">", cut + 1)) {
    const gold = codesOf(corpus.gold, word.slice(0, cut));
    const predicted = codesOf(corpus.predicted, word.slice(cut + 1));
    if (gold && predicted) return { gold, predicted, gap };
  }
  return null;
}

/** 1 for each code that a text may stand for: of the phone itself, else of phones that differ only in how they are typed. */
function codesOf(phones, text) {
  const names = [...phones, GAP];
  for (const form of [decomposed, typed]) {
    const codes = Uint8Array.from(names, (name) => Number(form(name) === form(text)));
    if (codes.includes(1)) return codes;
  }
  return text === ANY ? Uint8Array.from(names, (_, code) => Number(code < phones.length)) : null;
}

const decomposed = (name) => name.normalize("NFD");

/** A phone as it may be typed: without tie bars, g for ɡ, a colon for the sign of length, an apostrophe for ejectives. */
function typed(name) {
  const bare = decomposed(name).replace(/[\u0361\u035c]/g, "");
  return bare.replaceAll("ɡ", "g").replaceAll("ː", ":").replaceAll("ʼ", "'");
}
