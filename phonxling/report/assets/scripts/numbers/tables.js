// Every table of the results: to look at, to sort and to search, and to keep.

const { addressOf, change } = modules.address;
const { number, page, readTable } = modules.data;
const { byId, element, fillGroups } = modules.elements;
const { sortedRows, sortHead } = modules["numbers/sorting"];

const AT_ONCE = 100;
const LONGEST = 60; // letters of a phone that is a link; of a longer one a click shows all
const DECIMALS = 4; // of a number that is not whole; the file has all of them
const shown = { name: "", limit: AT_ONCE, column: "", down: false };

const tables = { id: "tables", keys: ["table"], show };

/** Shows the table that is chosen; where none is, not before the section is unfolded. */
function show(state) {
  if (!byId("tables-section").open && !state.table) {
    byId("tables-section").addEventListener("toggle", () => show(state), { once: true });
    return null;
  }
  const names = Object.keys(page.tables).filter((name) => page.pairs.length === 0 || !name.includes("/")); // items' tables are in their own results
  Object.assign(shown, { name: names.includes(state.table) ? state.table : names[0], limit: AT_ONCE, column: "" });
  fillGroups(byId("table-name"), grouped(names), shown.name);
  byId("table-name").onchange = ({ target }) => change({ table: target.value });
  byId("table-filter").oninput = () => showTable({ limit: AT_ONCE });
  byId("table-more").onclick = () => showTable({ limit: shown.limit + AT_ONCE });
  byId("download").href = `${kindOf(shown.name)}.tsv`;
  return showTable({});
}

/** The tables of all corpora, then those of each. */
function grouped(names) {
  const option = (name) => [name, kindOf(name).replaceAll("_", " ")];
  const of = (start) => names.filter((name) => name.slice(0, name.lastIndexOf("/") + 1) === start).map(option);
  return [["All corpora", of("")], ...page.corpora.map(({ name, title }) => [title, of(`${name}/`)])];
}

async function showTable(changes) {
  Object.assign(shown, changes);
  const { columns, rows } = await readTable(shown.name);
  const wanted = byId("table-filter").value.trim().toLowerCase();
  const held = (text) => (text ?? "").toLowerCase().includes(wanted);
  const chosen = rows.filter((row) => columns.some((name) => held(row[name])) || held(wordsOf(row)));
  const inOrder = shown.column ? sortedRows(chosen, shown.column, shown.down) : chosen;
  const head = columns.map((name) => sortHead(name, meaningOf(name), shown, sortBy));
  const first = inOrder.slice(0, shown.limit);
  const places = new Map(columns.map((name) => [name, decimalsOf(first.map((row) => row[name] ?? ""))]));
  const lines = first.map((row) => line(places, row));
  byId("table-shown").replaceChildren(element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...lines));
  byId("table-told").textContent = page.meanings[kindOf(shown.name)]?.meaning ?? "";
  byId("table-size").textContent = sizeOf(
    rows.length,
    wanted && chosen.length,
    chosen.length > lines.length && lines.length,
  );
  byId("table-more").hidden = chosen.length === lines.length;
}

/** What a table holds, such as "phones": its name without the corpus. */
const kindOf = (name) => name.split("/").pop();
const meaningOf = (column) => page.meanings[kindOf(shown.name)]?.columns[column] ?? "";
const sortBy = (column) => showTable({ column, down: shown.column === column && !shown.down, limit: AT_ONCE });

function sizeOf(number, held, first) {
  const parts = [`${number} row${number === 1 ? "" : "s"}`];
  if (held !== "") parts.push(`${held} hold “${byId("table-filter").value.trim()}”`);
  if (first) parts.push(`the first ${first} shown`);
  return parts.join(", ");
}

/** A row of a table of measures in words; "" for other rows. */
function wordsOf({ measure, variant }) {
  return page.measures[[measure, variant].filter(Boolean).join(" ")] ?? "";
}

/** How the cells of a column are shown: null as text, else the decimals of its numbers. */
function decimalsOf(texts) {
  const numbers = texts.filter(Boolean).map(number);
  if (!numbers.length || numbers.some(Number.isNaN)) return null;
  return numbers.every((each) => Number.isInteger(each) || !Number.isFinite(each)) ? 0 : DECIMALS;
}

function line(decimals, row) {
  const words = wordsOf(row);
  const made = [...decimals].map(([name, places]) => {
    if (name === "measure" && words) return measureCell(row, words);
    const state = stateOf(row, name);
    return state
      ? element("td", {}, element("a", { href: addressOf(state) }, row[name]))
      : cell(row[name] ?? "", places);
  });
  return element("tr", {}, ...made);
}

/** What a phone in a row of a corpus' table leads to: a predicted one to its cell, a gold one to what became of it. */
function stateOf(row, name) {
  const corpus = shown.name.includes("/") ? shown.name.split("/")[0] : row.corpus;
  if (!corpus || page.pairs.length || !row[name] || row[name].length > LONGEST) return null;
  const gold = row.gold || row.phone;
  if (name === "predicted" && row.gold) return { corpus, gold, heard: row.predicted };
  if (name === "category") return { corpus, gold, heard: row.category };
  if (name === "other_category") return { corpus, gold: row.other, heard: row.other_category };
  return name === "gold" || name === "phone" ? { corpus, phone: row[name] } : null;
}

function measureCell({ measure }, words) {
  return element("td", {}, element("a", { href: `#def-${measure}` }, words), " ", element("code", {}, measure));
}

/** A cell: a number with the decimals of its column, all of them in its title; one that would be 0 in two digits. */
function cell(text, places) {
  if (text === "" || places === null) return element("td", {}, text);
  const value = number(text);
  const fixed = value.toFixed(Number.isInteger(value) && Math.abs(value) > 1 ? 0 : places);
  const shownAs = !Number.isFinite(value) ? text : value !== 0 && Number(fixed) === 0 ? value.toPrecision(2) : fixed;
  return element("td", { class: "number", title: shownAs === text ? null : text }, shownAs);
}

modules["numbers/tables"] = { tables };
