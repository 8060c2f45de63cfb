// What the colours of a matrix are of, and what is left out: in sentences, and as a strip.

const { element, shown } = modules.elements;
const { plain } = modules.rounding;
const { anyOf, EDGE, inContext } = modules["matrix/counting"];
const { FEW, isFew } = modules["matrix/grid"];

/** The sentences under a matrix (or two beside each other) of a choice. */
function sentences(chosen, views) {
  const [view] = views;
  return [
    `${view.title}${named(view, chosen)}: ${view.unit}.`,
    colours(view),
    outlines(chosen, view),
    conditions(chosen, views),
    leftOut(views),
    filters(chosen),
    chosen.other && chosen.order === "frequency" ? `In the order of ${chosen.corpus.title}.` : "",
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
  const scale = view.diverging
    ? `Blue: above 0; orange${view.below ? ", paler" : ""}: below; full colour at ${most}`
    : "Darker by the square root";
  const none = view.values.some((value, cell) => Number.isNaN(value) && !view.hidden.has(cell));
  const few = view.rows.some((_, row) => isFew(view, row)) ? `; striped rows: fewer than ${FEW} tokens` : "";
  return `${scale}${none ? "; hatched: not defined" : ""}${few}.`;
}

function outlines(chosen, view) {
  if (view.two && !view.tested) {
    const other = anyOf(chosen.conditions) || chosen.diagonal || chosen.rare;
    return other
      ? "No cell is outlined: tests are of all tokens, with nothing left out."
      : "No cell is outlined: these two are not tested here; phonxling compare tests two corpora.";
  }
  if (!view.two && !view.q) return "";
  return view.marked.size ? "Outlined: q below 0.05." : "No cell has q below 0.05.";
}

function conditions({ conditions: set, corpus, other }, views) {
  if (!anyOf(set)) return "";
  const neighbour = (name) => (name === EDGE ? "the utterance’s edge" : name);
  const parts = [
    set.speaker && `of speaker ${set.speaker}`,
    set.left && `after ${neighbour(set.left)}`,
    set.right && `before ${neighbour(set.right)}`,
    set.position && `in position ${set.position}`,
  ].filter(Boolean);
  const tokens = (views[0].parts ?? views).map(({ left }) => shown(left.tokens + left.diagonal + left.rare));
  const gone = inContext(set) ? "; insertions are left out, because they have no neighbours" : "";
  const sampled = [corpus, other].some((each) => each?.sampled);
  const sample = sampled ? "; counted in the utterances that the page carries, not in all" : "";
  return `Only tokens ${parts.join(", ")} (${tokens.join(" and ")})${gone}${sample}.`;
}

function leftOut([view, second]) {
  const lefts = (view.parts ?? [view, second].filter(Boolean)).map(({ left }) => left);
  const counted = (name) => lefts.map((left) => shown(left[name])).join(" and ");
  const parts = [
    lefts.some(({ diagonal }) => diagonal) && `the diagonal (${counted("diagonal")} tokens)`,
    lefts.some(({ rare }) => rare) && `rare cells (${counted("rare")} tokens)`,
  ].filter(Boolean);
  if (!parts.length) return view.hidden.size ? "Rare cells are left out." : "";
  const rest = view.shares ? "; shares are of what remains" : "; the numbers of the other cells are as before";
  return `Left out: ${parts.join(", ")}${rest}.`;
}

function filters({ class: name, partners }) {
  const parts = [name && `rows of ${name}`, partners && `${partners} and its other answers`].filter(Boolean);
  return parts.length ? `Only ${parts.join("; ")}; numbers are as with all.` : "";
}

/** The scale of the colours, between what its ends stand for. */
function strip(view) {
  const made = element("span", { class: view.diverging ? "scale both" : "scale" });
  made.style.setProperty("--below", `${100 * (view.below ?? 1)}%`);
  const low = view.diverging ? plain(-view.limit) : "0";
  return [element("span", {}, low), made, element("span", {}, plain(view.limit))];
}

modules["matrix/legend"] = { sentences, strip };
