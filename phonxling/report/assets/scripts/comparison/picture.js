// The picture of two items: their difference in each measure with its interval, to the right where the first is better.

const WIDE = 900; // pixels; in less, a row's name stands above its line, and its numbers below
const HEAD = 28; // pixels: above the rows, and below the rows of a scale
let drawnPair = ""; // in which width, too

/** Draws the picture of each pair that has findings, for they are printed, and of the chosen one. */
async function showDifferences(state) {
  const { rows } = await readTable("differences");
  const section = byId("findings-section");
  const draw = () => {
    const width = section.clientWidth;
    const key = JSON.stringify([pairOf(state), width]);
    if (key === drawnPair) return;
    drawnPair = key;
    for (const article of section.querySelectorAll("article.pair")) {
      const pair = page.pairs[article.dataset.pair] ?? pairOf(state);
      drawPair(article.querySelector("figure"), pair, rows, width);
    }
  };
  draw();
  window.onresize = draw;
}

function drawPair(figure, [first, second], table, width) {
  const own = table.filter(({ item, other }) => item === first && other === second);
  const rows = page.compared.map((one) => differenceOf(one, own)).filter(Boolean);
  figure.hidden = rows.length === 0;
  const titles = [first, second].map(titleOf);
  figure.querySelector("figcaption b").textContent = `${titles.join(" − ")}, better to the right`;
  figure.querySelector(".unlike").hidden = !rows.some(({ unlike }) => unlike);
  const wide = width >= WIDE;
  const [left, right] = wide ? [170, width - 400] : [8, width - 8];
  const frame = { wide, left, right, zero: (left + right) / 2, step: wide ? 26 : 74 };
  const marks = sideHeads(titles, frame);
  let top = HEAD;
  for (const scale of new Set(rows.map((row) => row.scale))) {
    const alike = rows.filter((row) => row.scale === scale);
    marks.push(...rowsOfScale(alike, top, frame));
    top += alike.length * frame.step + HEAD;
  }
  const svg = figure.querySelector("svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${top}`);
  svg.replaceChildren(...marks);
}

/** What is drawn of a measure, of the rows of a table; null where a pair has no difference, or is not above chance. */
function differenceOf({ better, ...one }, table) {
  const row = table.find(({ measure }) => measure === one.measure);
  if (!row || row.difference === "" || row.status === "not-above-chance") return null;
  const [value, other, apart] = ["value", "other_value", "difference"].map((name) => number(row[name]));
  const [low, high, q] = ["low", "high", "q"].map((name) => number(row[name]));
  return {
    ...one,
    unlike: row.unlike !== "",
    values: `${plain(value)} − ${plain(other)}`,
    apart: `= ${rounded(apart, low, high)}${one.unit}`,
    place: better * apart,
    limits: Number.isNaN(low) ? [] : [better * low, better * high],
    clear: q < LEAST_Q,
    href: addressOf({ corpus: row.item, other: row.other, table: "differences" }),
  };
}

/** Which item is better on which side. */
function sideHeads(titles, { wide, left, right }) {
  const [first, second] = titles.map((title) => cut(title, wide ? 24 : 12));
  return [
    shape("text", { class: "second", x: left, y: 14 }, `← ${second} better`),
    shape("text", { class: "first", x: right, y: 14, "text-anchor": "end" }, `${first} better →`),
    ...(wide ? [shape("text", { class: "other", x: right + 20, y: 14 }, `${first} − ${second}`)] : []),
  ];
}

/** Rows on one scale, and the scale below them. */
function rowsOfScale(rows, top, frame) {
  const { left, right, zero, step } = frame;
  const bottom = top + rows.length * step;
  const most = 1.04 * Math.max(...rows.flatMap(({ place, limits }) => [place, ...limits].map(Math.abs)));
  const x = (value) => zero + (value / (most || 1)) * (right - zero);
  const tick = tickOf(most); // a number of one digit
  const named = (value) => `${Number(Math.abs(value).toPrecision(1))}${rows[0].unit}`;
  const ticks = (most ? [-tick, 0, tick] : [0]).flatMap((value) => [
    shape("path", { class: value ? "tick" : "zero", d: `M${x(value)} ${top}V${bottom + 4}` }),
    shape("text", { class: "axis", x: x(value), y: bottom + 18 }, named(value)),
  ]);
  const axis = shape("path", { class: "tick", d: `M${left} ${bottom}H${right}` });
  return [axis, ...ticks, ...rows.flatMap((row, at) => marksOf(row, top + (at + 0.5) * step, x, frame))];
}

/** The largest of 1, 2, 5 × 10ⁿ that is no larger. */
function tickOf(most) {
  const power = 10 ** Math.floor(Math.log10(most));
  return power * [5, 2, 1].find((times) => times * power <= most);
}

function marksOf({ name, unlike, values, apart, place, limits, clear, href }, y, x, { wide, right }) {
  const side = clear ? (place > 0 ? "first" : "second") : "unclear";
  const above = y + (wide ? 5 : -14);
  const numbers = wide
    ? [shape("text", { x: right + 20, y: above }, `${values} ${apart}`)]
    : [shape("text", { x: right, y: above, "text-anchor": "end" }, values), shape("text", { x: 0, y: y + 24 }, apart)];
  return [
    shape("a", { href }, shape("text", { x: 0, y: above }, unlike ? `${name} ≠` : name)),
    ...(limits.length ? [shape("path", { class: `range ${side}`, d: `M${x(limits[0])} ${y}H${x(limits[1])}` })] : []),
    shape("circle", { class: side, cx: x(place), cy: y, r: 5 }),
    ...numbers,
  ];
}
