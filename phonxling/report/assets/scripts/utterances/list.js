// The list of utterances, in a box of its own: its rows to sort by a column, and the keys that move in it.

const COLUMNS = { utterance: "Utterance", speaker: "Speaker", phones: "Phones", wper: "wPER", per: "PER" };

/** The utterances of a corpus: their names, their gold phones, their rates, and their places `u`; made once. */
const rowsOf = once(({ gold, alignments }) => {
  const { ids, speakers, offsets, wper, per, gold: codes } = alignments;
  return ids.map((utterance, u) => {
    const phones = codes.subarray(offsets[u], offsets[u + 1]).filter((code) => code < gold.length).length;
    return { u, utterance, speaker: speakers[u], phones, wper: wper[u], per: per[u] };
  });
});

/** The rate that the worst and the best are found by: wPER, or PER where the costs give no wPER. */
const rateOf = (rows) => (rows.some(({ wper }) => !Number.isNaN(wper)) ? "wper" : "per");

/** The order that a state asks for, such as "-wper" for the highest first; what cannot be sorted by is not. */
function orderOf(corpus, sort = "") {
  const column = Object.keys(COLUMNS).find((name) => name === sort.replace("-", ""));
  return column ? { column, down: sort.startsWith("-") } : { column: rateOf(rowsOf(corpus)), down: true };
}

/** The middle one of some rows by their rate; the first where none has a rate. */
function middleOf(rows) {
  const column = rateOf(rows);
  const rated = rows.filter((row) => !Number.isNaN(row[column]));
  return sortedRows(rated, { column, down: true })[Math.floor((rated.length - 1) / 2)] ?? rows[0];
}

/** Draws rows, of which one is opened, with row `start` in sight; `link` is the address of one, `sortBy` takes another order. */
function drawList(rows, { order, opened, start, link, sortBy }) {
  const table = byId("utterance-list");
  const columns = Object.keys(COLUMNS).filter((name) => name !== "speaker" || rows.some(({ speaker }) => speaker));
  const heads = columns.map((name) => sortHead(name, COLUMNS[name], order, sortBy, null));
  table.tHead.replaceChildren(element("tr", {}, ...heads));
  const lines = rows.map((row) => lineOf(row, columns, { href: link(row), current: row === opened }));
  fillBody(table.tBodies[0], lines, Math.max(0, start));
}

function lineOf(row, columns, { href, current }) {
  const id = cut(row.utterance, LONGEST_NAME);
  const title = id === row.utterance ? null : row.utterance;
  const name = element("th", { scope: "row", title }, element("a", { href }, id));
  const cells = columns.slice(1).map((column) => {
    if (column === "speaker") return element("td", {}, cut(row.speaker, LONGEST_NAME));
    return element("td", { class: "number" }, plain(row[column]));
  });
  return element("tr", { "aria-current": current ? "true" : null }, name, ...cells);
}

/** Fills the body of the list, with row `start` in sight. The arrow keys, Page, Home and End move in it. */
function fillBody(body, lines, start) {
  const links = lines.map((line) => line.querySelector("a"));
  const isFocused = body.contains(document.activeElement);
  const isMoved = start > 0 || body.childElementCount > 0; // else it stands where it shall, and asking costs a layout
  for (const [place, link] of links.entries()) link.tabIndex = place === start ? 0 : -1;
  body.replaceChildren(...lines);
  body.onkeydown = (event) => press(event, lines, links);
  if (isMoved && lines.length) reveal(lines[start]);
  if (isFocused) (links[start] ?? byId("utterance-scroll")).focus({ preventScroll: true });
}

/** Scrolls the box, and nothing else, until a row is in sight. */
function reveal(line) {
  const box = byId("utterance-scroll");
  const top = Math.min(box.scrollTop, line.offsetTop - box.querySelector("thead").offsetHeight);
  box.scrollTop = Math.max(top, line.offsetTop + line.offsetHeight - box.clientHeight);
}

function press(event, lines, links) {
  const steps = { ArrowDown: 1, ArrowUp: -1, PageDown: 10, PageUp: -10, Home: -lines.length, End: lines.length };
  const at = links.indexOf(event.target);
  if (!(event.key in steps) || at < 0) return;
  event.preventDefault();
  const next = Math.max(0, Math.min(lines.length - 1, at + steps[event.key]));
  links[at].tabIndex = -1;
  links[next].tabIndex = 0;
  reveal(lines[next]);
  links[next].focus({ preventScroll: true });
}
