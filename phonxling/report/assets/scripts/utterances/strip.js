// What the posteriors say over time: the most probable phones as a strip, below the gold and the heard phones, on one axis.

const { number, readTable } = modules.data;
const { cut, element, shape } = modules.elements;
const { phonesAt } = modules["utterances/pairs"];

const ROW = 17; // pixels: of a phone's row
const LABEL = 8; // of a letter
const LINE = 18; // of a line of labels
const LINES = 3; // of labels over each other, where they would touch
const MOST = 16; // rows
const LONGEST = 8; // letters of a label
const EDGE = 12; // left of the first time, for its tick
const CLOSE = 40; // pixels between ticks at least
const TICKS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60];

/** What posteriorgrams.tsv has: the steps of each utterance. */
async function readStrips(corpus) {
  const { rows } = await readTable(`${corpus.name}/posteriorgrams.tsv`);
  const steps = rows.map((row) => ({
    ...row,
    start: number(row.start),
    end: number(row.end),
    p: number(row.probability),
  }));
  const strips = new Map(steps.map(({ utterance }) => [utterance, []]));
  for (const step of steps) strips.get(step.utterance).push(step);
  return strips;
}

/** The strip of an utterance: names of its rows, which stay in sight, and what scrolls beside them. */
function drawStrip(corpus, u, steps) {
  const sides = ["gold", "predicted"].map((side, place) => tokens(corpus.alignments, u, side, place, corpus));
  const phones = mostProbable(corpus, steps);
  const last = Math.max(...steps.map(({ end }) => end), ...sides.flat().map(({ end }) => end));
  const scale = { per: perSecond(sides, last), last };
  const lines = sides.map((side) => laidOut(side, scale));
  const rows = [...heads(lines), ...phones.map((phone) => [cut(phone, LONGEST), ROW])];
  const height = rows.reduce((sum, [, high]) => sum + high, 0) + LINE;
  const width = EDGE * 2 + last * scale.per;
  const names = shape("svg", { class: "time-names", width: 72, height, "aria-hidden": "true" }, ...named(rows));
  const label = `Posteriors of ${corpus.alignments.ids[u]} over time, below its gold and its predicted phones`;
  const drawn = shape("svg", { class: "over-time", width, height, role: "img", "aria-label": label });
  drawn.append(
    ...axis(scale, height, phones.length * ROW),
    ...texts(lines, scale),
    ...cells(steps, phones, scale, height),
  );
  const box = {
    class: "scroll time-box",
    role: "region",
    tabindex: "0",
    "aria-label": "Posteriors over time, scrollable",
  };
  return element("div", box, names, drawn);
}

/** The tokens of a side that have times; wrong where the pair's phones differ. */
function tokens({ offsets, ...times }, u, side, place, corpus) {
  const [starts, ends] = [times[`${side}Start`], times[`${side}End`]];
  if (!ends) return [];
  const pairs = Array.from({ length: offsets[u + 1] - offsets[u] }, (_, pair) => offsets[u] + pair);
  const timed = pairs.filter((pair) => !Number.isNaN(ends[pair]));
  return timed.map((pair) => {
    const phones = phonesAt(corpus, pair);
    return { phone: cut(phones[place], LONGEST), start: starts[pair], end: ends[pair], wrong: phones[0] !== phones[1] };
  });
}

/** The labels with most probability over all steps, in the order of the predicted phones. */
function mostProbable(corpus, steps) {
  const mass = new Map();
  for (const { phone, start, end, p } of steps) mass.set(phone, (mass.get(phone) ?? 0) + p * (end - start));
  const most = [...mass]
    .sort((a, b) => b[1] - a[1])
    .slice(0, MOST)
    .map(([phone]) => phone);
  const rank = (phone) =>
    (corpus.predicted.indexOf(phone) + corpus.predicted.length + 1) % (corpus.predicted.length + 1);
  return most.sort((a, b) => rank(a) - rank(b));
}

/** Pixels of a second: so many that half of the tokens are as wide as two letters. */
function perSecond(sides, last) {
  const lasting = sides
    .flat()
    .map(({ start, end }) => end - start)
    .sort((a, b) => a - b);
  const middle = lasting[Math.floor(lasting.length / 2)] || last / 40;
  return Math.min(600, Math.max(100, (3 * LABEL) / middle));
}

/** The tokens of a side with the line on which each label stands so that no two touch. */
function laidOut(side, { per }) {
  const ends = [];
  return side.map((token) => {
    const [middle, wide] = [((token.start + token.end) / 2) * per, widthOf(token.phone)];
    const free = [...Array(LINES).keys()].find((line) => (ends[line] ?? -Infinity) <= middle - wide / 2);
    const line = free ?? LINES - 1;
    if (free !== undefined) ends[line] = middle + wide / 2;
    return { ...token, line, labelled: free !== undefined };
  });
}

const widthOf = (phone) => (Array.from(phone.normalize("NFD").replace(/\p{M}/gu, "")).length + 0.5) * LABEL;

const linesOf = (side) => Math.max(0, ...side.map(({ line }) => line + 1));

const heads = ([gold, heard]) => [
  ...(gold.length ? [["gold", linesOf(gold) * LINE + 6]] : []),
  ...(heard.length ? [["predicted", linesOf(heard) * LINE + 6]] : []),
];

function named(rows) {
  let top = 0;
  return rows.map(([name, high]) => {
    top += high;
    return shape("text", { x: 66, y: top - (high > ROW ? high / 2 : ROW / 2) + 5, "text-anchor": "end" }, name);
  });
}

/** The labels of gold and heard phones, with a line from when each begins to when it ends. */
function texts(lines, { per }) {
  let top = 0;
  return lines.flatMap((side) => {
    if (!side.length) return [];
    const own = side.flatMap(({ phone, start, end, line, wrong, labelled }) => {
      const [from, to] = [EDGE + start * per, EDGE + end * per];
      const y = top + (linesOf(side) - line) * LINE - 4;
      const kind = wrong ? "wrong" : null;
      const text = shape(
        "text",
        { x: (from + to) / 2, y, "text-anchor": "middle", class: kind },
        labelled ? phone : "·",
      );
      const base = top + linesOf(side) * LINE + 2;
      return [
        text,
        shape("path", { d: `M${from + 1} ${base}H${Math.max(from + 2, to - 1)}`, class: `span ${kind ?? ""}` }),
      ];
    });
    top += linesOf(side) * LINE + 6;
    return own;
  });
}

function cells(steps, phones, { per }, height) {
  const top = height - LINE - phones.length * ROW;
  return steps
    .filter(({ phone }) => phones.includes(phone))
    .map(({ phone, start, end, p }) => {
      const place = { x: EDGE + start * per, y: top + phones.indexOf(phone) * ROW + 1, height: ROW - 2 };
      const cell = { ...place, width: (end - start) * per, "fill-opacity": p, class: "cell" };
      return shape("rect", cell, shape("title", {}, `${phone}, ${start} to ${end} s: ${p}`));
    });
}

/** Ticks with their times in seconds, as close as they can be read. */
function axis({ per, last }, height, high) {
  const step = TICKS.find((tick) => tick * per >= CLOSE) ?? TICKS.at(-1);
  return Array.from({ length: Math.floor(last / step + 1e-9) + 1 }, (_, place) => {
    const [x, time] = [EDGE + place * step * per, Number((place * step).toFixed(2))];
    const unit = place === 0 ? " s" : "";
    const text = shape("text", { x, y: height - 3, "text-anchor": "middle", class: "time" }, `${time}${unit}`);
    return [shape("path", { d: `M${x} ${height - LINE - high}v${high + 4}`, class: "tick" }), text];
  }).flat();
}

modules["utterances/strip"] = { drawStrip, readStrips };
