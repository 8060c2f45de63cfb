// The matrix as an SVG for a paper: phones as text, a title, the scale and the legend's sentences.

import { GAP } from "../data.js";
import { cut } from "../elements.js";
import { strength } from "./grid.js";
import { scaleOf } from "./legend.js";

const CELL = 18;
const LINE = 16;
const FONTS = "Charis SIL, DejaVu Sans, Noto Sans, sans-serif";
const COLOURS = { ground: [244, 245, 247], high: [11, 60, 125], low: [178, 68, 26] };
const LETTERS = 110; // of a line of text
const PIECES = new RegExp(`.{1,${LETTERS}}`, "gsu");
const LONGEST = 12; // letters of a name

/** The picture as text: valid XML, whatever the names. `head`: lines above; `sentences`: lines below. */
export function pictureOf(view, places, { head, sentences }) {
  const side = LINE * 0.55 * Math.max(3, ...view.rows.map(({ label }) => Math.min(LONGEST, [...label].length)));
  const above = LINE * 0.55 * Math.max(2, ...view.columns.map(({ label }) => Math.min(LONGEST, [...label].length)));
  const title = head.flatMap(wrapped);
  const [left, top] = [side + 2 * LINE, (title.length + 2) * LINE + above];
  const below = top + places.rows.length * CELL;
  const lines = wrapped(sentences.join(" "));
  const size = [Math.max(left + places.columns.length * CELL, LETTERS * 7) + LINE, below + (lines.length + 4) * LINE];
  const parts = [
    ...title.map((text, line) => label([LINE, (line + 1.2) * LINE], text, { bold: line === 0 })),
    ...names(view, places, [left, top]),
    ...cells(view, places, [left, top]),
    ...scale(view, [LINE, below + LINE]),
    ...lines.map((text, line) => label([LINE, below + (line + 3.5) * LINE], text)),
  ];
  const box = size.map(Math.ceil);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${box.join(" ")}" width="${box[0]}" height="${box[1]}" font-family="${FONTS}" font-size="12">`,
    `<title>${escaped(head[0])}</title>`,
    `<rect width="${box[0]}" height="${box[1]}" fill="#fff"/>`,
    ...parts,
    "</svg>\n",
  ].join("\n");
}

/** A text for XML: what would be markup is escaped, and letters that XML does not allow are replaced. */
export function escaped(text) {
  const marks = { "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" };
  const allowed = (letter) => /[\t\n\r\u0020-\ud7ff\ue000-\ufffd\u{10000}-\u{10ffff}]/u.test(letter);
  return Array.from(text, (letter) => marks[letter] ?? (allowed(letter) ? letter : "\ufffd")).join("");
}

function label([x, y], text, { bold = false, anchor = "start", turned = false } = {}) {
  const turn = turned ? ` transform="rotate(-90 ${x} ${y})"` : "";
  const weight = bold ? ' font-weight="bold"' : "";
  return `<text x="${x}" y="${y}" text-anchor="${anchor}"${weight}${turn}>${escaped(text)}</text>`;
}

function names(view, { rows, columns }, [left, top]) {
  const down = rows.map((row, number) =>
    label([left - 4, top + (number + 0.7) * CELL], cut(view.rows[row].label, LONGEST), { anchor: "end" }),
  );
  const across = columns.map((column, number) => {
    const text = cut(view.columns[column].label, LONGEST);
    const turned = [...text].length > 3;
    const at = [left + (number + (turned ? 0.7 : 0.5)) * CELL, top - 5];
    return label(at, text, turned ? { turned } : { anchor: "middle" });
  });
  const sides = ["gold ↓", "heard →"].map((text, line) =>
    label([left - 4, top - 19 + line * 14], text, { anchor: "end" }),
  );
  return [...down, ...across, ...sides];
}

function cells(view, { rows, columns }, [left, top]) {
  return rows.flatMap((row, down) =>
    columns.map((column, across) => {
      const place = row * view.columns.length + column;
      const [gold, heard] = [view.rows[row].label, view.columns[column].label];
      const [value, hidden] = [view.values[place], view.hidden.has(place)];
      const line =
        view.marked.has(place) && !hidden ? ["#000", 1.6] : gold === heard && gold !== GAP ? ["#777", 1] : ["#fff", 1];
      const fill = Number.isNaN(value) ? "#fff" : colour(value, view);
      const [x, y, size] = [left + across * CELL + 1, top + down * CELL + 1, CELL - 2];
      const box = `<rect x="${x}" y="${y}" width="${size}" height="${size}" fill="${fill}" stroke="${line[0]}" stroke-width="${line[1]}"/>`;
      const hatch = `<path d="M${x} ${y + size}l${size} ${-size}m0 ${size / 2}l${-size / 2} ${size / 2}m${-size / 2} ${-size / 2}l${size / 2} ${-size / 2}" stroke="#aaa" stroke-width="0.8"/>`;
      return Number.isNaN(value) && !hidden ? box + hatch : box;
    }),
  );
}

function colour(value, view) {
  const share = strength(value, view);
  const far = value < 0 ? COLOURS.low : COLOURS.high;
  return `rgb(${COLOURS.ground.map((part, place) => Math.round(part + (far[place] - part) * share)).join(",")})`;
}

function scale(view, [x, y]) {
  const steps = 40;
  const strips = Array.from({ length: steps }, (_, step) => {
    const share = (step + 0.5) / steps;
    const value = view.limit * (view.diverging ? 2 * share - 1 : share ** 2);
    return `<rect x="${x + step * 5}" y="${y}" width="5.2" height="10" fill="${colour(value, view)}"/>`;
  });
  const ticks = scaleOf(view).map((text, place) =>
    label([x + place * steps * 2.5, y + 22], text, { anchor: ["start", "middle", "end"][place] }),
  );
  return [...strips, ...ticks];
}

/** The lines of a text: as many words as fit in each; a longer word goes on in the next, one without end is cut. */
function wrapped(text) {
  const lines = [""];
  const parts = text.split(" ").flatMap((word) => cut(word, 4 * LETTERS).match(PIECES) ?? [""]);
  for (const part of parts) {
    const joined = lines.at(-1) ? `${lines.at(-1)} ${part}` : part;
    if ([...joined].length <= LETTERS) lines[lines.length - 1] = joined;
    else lines.push(part);
  }
  return lines;
}
