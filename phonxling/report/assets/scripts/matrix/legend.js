// What the colours of a matrix are of, and what is left out: in sentences, and as a strip.

const { cut, element, shown } = modules.elements;
const { plain } = modules.rounding;
const { FEW, isFew } = modules["matrix/grid"];

/** The sentences under a matrix (or two beside each other) of a choice. */
function sentences(chosen, views) {
  const [view] = views;
  return [
    `${view.title}${named(view, chosen)}: ${view.unit}.`,
    colours(view),
    outlines(chosen, view),
    ofSpeaker(chosen, views),
    leftOut(views),
    chosen.partners ? `Only ${chosen.partners} and its other answers; numbers are as with all.` : "",
  ].filter(Boolean);
}

function named(view, { corpus, other }) {
  if (view.two) return `, ${corpus.title} less ${other.title}`;
  return other ? ` of ${corpus.title} and ${other.title}` : ` of ${corpus.title}`;
}

function colours(view) {
  const [place] = view.values.keys();
  if (place === undefined || view.limit === 0) return "All cells are 0 or empty.";
  const most = plain(view.limit);
  const scale = view.diverging ? `${sides(view)}; strongest at ${most}` : "Stronger colour: more, by the square root";
  const none = view.values.some((value, cell) => Number.isNaN(value) && !view.hidden.has(cell));
  const few = view.rows.some((_, row) => isFew(view, row)) ? `; striped rows: fewer than ${FEW} tokens` : "";
  return `${scale}${none ? "; hatched: not defined" : ""}${few}.`;
}

/** What the two colours stand for. */
function sides({ better, below, corpora }) {
  if (!better) return `Blue: above 0; orange${below ? ", paler" : ""}: below`;
  const [first, second] = corpora.map(({ title }) => title);
  return `Blue: ${first} is better there, with more tokens right or fewer errors; orange: ${second}; the row ∅ has no colour`;
}

function outlines({ speaker, diagonal }, view) {
  if (!view.two && !view.q) return "";
  if (view.two && (speaker || diagonal)) return "No cell is outlined: tests are of all tokens, with nothing left out.";
  if (view.two && !view.tested)
    return "No cell is outlined: these two are not tested here; phonxling compare tests two corpora.";
  return view.marked.size ? "Outlined: q below 0.05." : "No cell has q below 0.05.";
}

function ofSpeaker({ speaker, corpus, other }, views) {
  if (!speaker) return "";
  const tokens = (views[0].parts ?? views).map(({ left }) => shown(left.tokens + left.diagonal));
  const sampled = [corpus, other].some((each) => each?.sampled);
  const sample = sampled ? "; counted in the utterances that the page carries, not in all" : "";
  return `Only tokens of speaker ${speaker} (${tokens.join(" and ")})${sample}.`;
}

function leftOut([view, second]) {
  const lefts = (view.parts ?? [view, second].filter(Boolean)).map(({ left }) => left);
  if (!lefts.some(({ diagonal }) => diagonal)) return "";
  const rest = view.shares ? "shares are of what remains" : "the numbers of the other cells are as before";
  return `Left out: the diagonal (${lefts.map(({ diagonal }) => shown(diagonal)).join(" and ")} tokens); ${rest}.`;
}

/** The scale of the colours, between what its ends stand for. */
function strip(view) {
  const made = element("span", { class: view.diverging ? "scale both" : "scale" });
  made.style.setProperty("--below", `${100 * (view.below ?? 1)}%`);
  const better = view.corpora.map(({ title }) => `${cut(title, 16)} better`);
  const [high, low] = view.better ? better : [plain(view.limit), view.diverging ? plain(-view.limit) : "0"];
  return [element("span", {}, low), made, element("span", {}, high)];
}

modules["matrix/legend"] = { sentences, strip };
