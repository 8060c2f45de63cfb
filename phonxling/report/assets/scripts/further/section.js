// The analyses that only some experiments have: of the chosen corpus their sentences, and a table that a head sorts.

import { addressOf, readState } from "../address.js";
import { number, page, readTable } from "../data.js";
import { byId, element } from "../elements.js";
import { sortedRows, sortHead } from "../numbers/sorting.js";
import { rounded } from "../rounding.js";

const AT_ONCE = 12; // rows
const sorts = new Map(); // part to { column, down }
const whole = new Set(); // parts of which all rows are shown

export const further = {
  id: "further",
  keys: ["part"],
  show,
  place: ({ part }) => byId(`further-${part}`),
  heading: ({ part }) => (byId(`further-${part}`) ? `further-${part}-title` : null),
};

function show(_, corpus) {
  return Promise.all(page.further.map((part) => showPart(part, corpus)));
}

async function showPart(part, corpus) {
  const place = byId(`further-${part.name}`);
  const of = part.of === "corpus" ? corpus.name : "";
  for (const article of place.querySelectorAll("article")) article.hidden = article.dataset.corpus !== of;
  const path = part.of === "corpus" ? `${corpus.name}/${part.table}` : part.table;
  const { columns, rows } = await readTable(path);
  const sort = sorts.get(part.name) ?? { column: part.sort.replace(/^-/, ""), down: part.sort.startsWith("-") };
  const sortBy = (column) => {
    sorts.set(part.name, { column, down: sort.column === column && !sort.down });
    return showPart(part, corpus);
  };
  const inOrder = sort.column ? sortedRows(rows, sort.column, sort.down) : rows;
  const first = inOrder.slice(0, whole.has(part.name) ? inOrder.length : AT_ONCE);
  const shown = part.columns.filter((name) => columns.includes(name));
  const meanings = page.meanings[path.replace(/\.tsv$/, "").replace(/^.*\//, "")]?.columns ?? {};
  const heads = shown.map((name) => sortHead(name, meanings[name], sort, sortBy));
  const lines = first.map((row) => element("tr", {}, ...shown.map((name) => cell(part, corpus, row, name))));
  const table = [element("thead", {}, element("tr", {}, ...heads)), element("tbody", {}, ...lines)];
  place.querySelector("table").replaceChildren(...(rows.length ? table : []));
  place.querySelector(".wide").hidden = rows.length === 0;
  place.querySelector(".further-size").replaceChildren(...sizeOf(part, corpus, path, rows.length, first.length));
}

/** How many rows there are, a way to see all of them, and a way to all columns. */
function* sizeOf(part, corpus, path, number, shown) {
  if (!page.tables[path]) {
    yield "This corpus has no such table, or one that is too large for the page.";
    return;
  }
  yield `${shown === number ? number : `The first ${shown} of ${number}`} ${number === 1 ? "row" : "rows"}. `;
  if (shown < number) {
    const more = element("button", { type: "button" }, "Show all");
    more.onclick = () => {
      whole.add(part.name);
      return showPart(part, corpus);
    };
    yield more;
    yield " ";
  }
  yield element("a", { href: addressOf({ ...readState(), at: undefined, table: path }) }, "All columns");
}

/** A cell of a row: a number with its limits, a text, or a link to the state that the part gives for its column. */
function cell(part, corpus, row, name) {
  const state = part.links[name];
  const text = shownText(row, name, part.interval === name ? "" : `${name}_`);
  if (!state || Object.values(state).some((column) => !row[column])) return element("td", {}, text);
  const given = Object.entries(state).map(([key, column]) => [key, row[column]]);
  return element(
    "td",
    {},
    element("a", { href: addressOf({ corpus: corpus.name, ...Object.fromEntries(given) }) }, text),
  );
}

function shownText(row, name, before) {
  const [value, low, high] = [name, `${before}low`, `${before}high`].map((column) => number(row[column]));
  if (row[name] === "" || Number.isNaN(value)) return row[name];
  return name === "p" || name === "q" ? probability(value) : rounded(value, low, high);
}

const probability = (p) => (p < 0.001 ? "< 0.001" : String(Number(p.toPrecision(2))));
