// Every table of the results: to look at, to sort and to search, and to keep; and the measure that an address names.

const ROWS_AT_ONCE = 100;
const DECIMALS = 4; // of a number that is not whole; the file has all of them
const LINES = 3; // of a cell at most
const shown = { name: "", limit: ROWS_AT_ONCE, column: "", down: false };

function markMeasure({ measure }) {
  for (const row of byId("numbers-table").tBodies[0].rows)
    row.classList.toggle("chosen", row.dataset.measure === measure);
}

/** Where a state leads: to the row of its measure; to its definition where the table has none. */
function placeOfMeasure({ measure }) {
  if (!measure) return byId("numbers-section");
  return byId("numbers-table").querySelector("tr.chosen") ?? byId(`def-${measure.split(" ")[0]}`);
}

/** Shows the table that is chosen; where none is, not before the section is unfolded. */
function showTables(state) {
  if (!byId("tables-section").open && !state.table) {
    byId("tables-section").addEventListener("toggle", () => showTables(state), { once: true });
    return null;
  }
  const names = Object.keys(page.tables).filter((name) => page.pairs.length === 0 || !name.includes("/")); // items' tables are in their own results
  Object.assign(shown, { name: names.includes(state.table) ? state.table : names[0], limit: ROWS_AT_ONCE, column: "" });
  const options = names.map((name) => [name, name.replace("/", ": ").replaceAll("_", " ")]);
  fillSelect(byId("table-name"), options, shown.name, (table) => change({ table }));
  byId("table-filter").oninput = () => showTable({ limit: ROWS_AT_ONCE });
  byId("table-more").onclick = () => showTable({ limit: shown.limit + ROWS_AT_ONCE });
  byId("download").href = `${kindOf(shown.name)}.tsv`;
  return showTable({});
}

async function showTable(changes) {
  Object.assign(shown, changes);
  const { columns, rows } = await readTable(shown.name);
  const filter = byId("table-filter").value.trim();
  const held = (text) => (text ?? "").toLowerCase().includes(filter.toLowerCase());
  const chosen = rows.filter((row) => columns.some((name) => held(row[name])) || held(measureWords(row)));
  const inOrder = shown.column ? sortedRows(chosen, shown) : chosen;
  const head = columns.map((name) => sortHead(name, name.replaceAll("_", " "), shown, sortBy, meaningOf(name)));
  const first = inOrder.slice(0, shown.limit);
  const places = new Map(columns.map((name) => [name, decimalsOf(first.map((row) => row[name] ?? ""))]));
  const lines = first.map((row) => tableLine(places, row));
  byId("table-shown").replaceChildren(element("thead", {}, element("tr", {}, ...head)), element("tbody", {}, ...lines));
  byId("table-told").textContent = page.meanings[kindOf(shown.name)]?.meaning ?? "";
  const found = filter ? `, ${chosen.length} hold “${filter}”` : "";
  const part = chosen.length > lines.length ? `, the first ${lines.length} shown` : "";
  byId("table-size").textContent = `${rows.length} row${rows.length === 1 ? "" : "s"}${found}${part}`;
  byId("table-more").hidden = chosen.length === lines.length;
}

/** What a table holds, such as "phones": its name without the corpus. */
const kindOf = (name) => name.split("/").pop();
const meaningOf = (column) => page.meanings[kindOf(shown.name)]?.columns[column];
const sortBy = (order) => showTable({ ...order, limit: ROWS_AT_ONCE });

/** A row of a table of measures in words; "" for other rows. */
function measureWords({ measure, variant }) {
  return page.measures[[measure, variant].filter(Boolean).join(" ")] ?? "";
}

/** How the cells of a column are shown: null as text, else the decimals of its numbers. */
function decimalsOf(texts) {
  const known = texts.filter(Boolean).map(number);
  if (!known.length || known.some(Number.isNaN)) return null;
  return known.every((each) => Number.isInteger(each) || !Number.isFinite(each)) ? 0 : DECIMALS;
}

function tableLine(decimals, row) {
  const words = measureWords(row);
  const made = [...decimals].map(([name, places]) => {
    if (name === "measure" && words) return measureCell(row, words);
    const state = stateOf(row, name);
    return state ? element("td", { class: "ipa" }, linkTo(state, row[name])) : cell(row[name] ?? "", places);
  });
  return element("tr", {}, ...made);
}

/** What a phone in a row of a corpus' table leads to: a predicted one to its cell, a gold one to what became of it. */
function stateOf(row, name) {
  const corpus = shown.name.includes("/") ? shown.name.split("/")[0] : row.corpus;
  if (!corpus || page.pairs.length || !row[name] || row[name].length > LONGEST_LINE) return null;
  const gold = row.gold || row.phone;
  if (name === "predicted" && row.gold) return { corpus, gold, predicted: row.predicted };
  if (name === "category") return { corpus, gold, predicted: row.category };
  if (name === "other_category") return { corpus, gold: row.other, predicted: row.other_category };
  return name === "gold" || name === "phone" ? { corpus, phone: row[name], at: "phones" } : null;
}

function measureCell({ measure }, words) {
  const made = element("td", {}, element("a", { href: `#def-${measure}` }, words), " ", element("code", {}, measure));
  return widened(made, words.length + measure.length);
}

/** A cell: a number with the decimals of its column, all of them in its title; one that would be 0 in two digits. */
function cell(text, places) {
  if (text === "" || places === null) return widened(element("td", {}, text), text.length);
  const value = number(text);
  const fixed = value.toFixed(Number.isInteger(value) && Math.abs(value) > 1 ? 0 : places);
  const shownAs = !Number.isFinite(value) ? text : value !== 0 && Number(fixed) === 0 ? value.toPrecision(2) : fixed;
  return element("td", { class: "number", title: shownAs === text ? null : text }, shownAs);
}

/** A cell of so many letters, so wide that it has few lines; a letter is narrower than the digit that ch is of. */
function widened(made, letters) {
  made.style.setProperty("--letters", letters < LINES * 10 ? 0 : Math.ceil(letters / LINES));
  return made;
}

/** A head that sorts by its column when it is clicked, up or, clicked again, down; its title tells what it means. */
function sortHead(name, text, { column, down }, sortBy, meaning) {
  const order = column === name ? (down ? "descending" : "ascending") : "none";
  const arrow = { ascending: " ▲", descending: " ▼", none: "" }[order];
  const button = element("button", { type: "button", title: meaning }, text + arrow);
  button.onclick = () => sortBy({ column: name, down: order === "ascending" });
  return element("th", { scope: "col", "aria-sort": order }, button);
}

/** Rows in the order of a column: numbers by value, texts by letters, what is missing last. */
function sortedRows(rows, { column, down }) {
  const sign = down ? -1 : 1;
  const isMissing = (row) => ["", undefined].includes(row[column]) || Number.isNaN(row[column]);
  const isNumeric = rows.every((row) => isMissing(row) || !Number.isNaN(number(row[column])));
  const { compare } = new Intl.Collator("en", { numeric: true });
  const compared = isNumeric ? (a, b) => number(a) - number(b) || 0 : compare;
  return rows.toSorted((a, b) => isMissing(a) - isMissing(b) || sign * compared(a[column], b[column]));
}
