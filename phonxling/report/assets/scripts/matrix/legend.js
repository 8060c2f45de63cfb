// What the colours of a matrix are of: in sentences, and as a strip.

/** The sentences under a matrix (or two beside each other) of a choice. */
function sentences(chosen, views) {
  const [view] = views;
  return [
    `${view.title}: ${view.unit}.`,
    colours(view),
    outlines(chosen, view),
    ofSpeaker(chosen, views),
    chosen.partners ? `Only ${chosen.partners} and its other answers; numbers are as with all.` : "",
  ].filter(Boolean);
}

function colours(view) {
  const [place] = view.values.keys();
  if (place === undefined || view.limit === 0) return "All cells are 0 or empty.";
  const most = plain(view.limit);
  const scale = view.diverging ? `${sides(view)}; strongest at ${most}` : "Stronger colour: more, by the square root";
  const none = view.values.some(Number.isNaN);
  const few = view.rows.some((_, row) => isFew(view, row)) ? `; striped rows: fewer than ${page.few} tokens` : "";
  return `${scale}${none ? "; hatched: not defined" : ""}${few}.`;
}

/** What the two colours stand for. */
function sides({ better, below, corpora }) {
  if (!better) return `Blue: above 0; orange${below ? ", paler" : ""}: below`;
  const [first, second] = corpora.map(({ title }) => title);
  return `Blue: ${first} is better there, with more tokens right or fewer errors; orange: ${second}; the row ∅ has no colour`;
}

function outlines({ speaker }, view) {
  if (!view.two && !view.q) return "";
  if (view.two && speaker) return "No cell is outlined: tests are of all tokens.";
  if (view.two && !view.tested)
    return "No cell is outlined: these two are not tested here; phonxling compare tests two corpora.";
  return view.marked.size ? "Outlined: q below 0.05." : "No cell has q below 0.05.";
}

function ofSpeaker({ speaker, corpus, other }, views) {
  if (!speaker) return "";
  const tokens = (views[0].parts ?? views).map(({ counts }) => plain(counts.reduce((total, one) => total + one, 0)));
  const sampled = [corpus, other].some((each) => each?.sampled);
  const sample = sampled ? "; counted in the utterances that the page carries, not in all" : "";
  return `Only tokens of speaker ${speaker} (${tokens.join(" and ")})${sample}.`;
}

/** The scale of the colours, between what its ends stand for. */
function strip(view) {
  const made = element("span", { class: view.diverging ? "scale both" : "scale" });
  made.style.setProperty("--below", `${100 * (view.below ?? 1)}%`);
  const better = view.corpora.map(({ title }) => `${cut(title, 16)} better`);
  const [high, low] = view.better ? better : [plain(view.limit), view.diverging ? plain(-view.limit) : "0"];
  return [element("span", {}, low), made, element("span", {}, high)];
}
