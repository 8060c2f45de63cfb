// Every table of the results: to look at, and to keep.

import { change } from "../address.js";
import { inflateText, page, parseTable } from "../data.js";
import { byId, element, fillSelect } from "../elements.js";

const AT_ONCE = 100;
const LONG = /^-?\d+\.\d{5,}(e-?\d+)?$/;
let limit = AT_ONCE;

export const tables = { id: "tables", keys: ["table"], show };

/** Fills the section on tables. */
function show(state) {
  const names = Object.keys(page.tables);
  fillSelect(
    byId("table-name"),
    names.map((name) => [name, name]),
    names.includes(state.table) ? state.table : names[0],
  );
  byId("table-name").onchange = ({ target }) => change({ table: target.value });
  byId("table-filter").oninput = fromTheTop;
  byId("table-more").onclick = () => {
    limit += AT_ONCE;
    return showTable();
  };
  byId("download").onclick = download;
  return fromTheTop();
}

function fromTheTop() {
  limit = AT_ONCE;
  return showTable();
}

async function showTable() {
  const { columns, rows } = parseTable(await inflateText(page.tables[byId("table-name").value]));
  const wanted = byId("table-filter").value.trim().toLowerCase();
  const found = rows.filter((row) => columns.some((name) => (row[name] ?? "").toLowerCase().includes(wanted)));
  const head = element("tr", {}, ...columns.map((name) => element("th", { scope: "col" }, name)));
  const lines = found.slice(0, limit).map((row) => element("tr", {}, ...columns.map((name) => cell(row[name] ?? ""))));
  byId("table-shown").replaceChildren(element("thead", {}, head), element("tbody", {}, ...lines));
  const left = found.length > lines.length;
  const held = wanted ? `, ${found.length} hold “${wanted}”` : "";
  byId("table-size").textContent = `${rows.length} rows${held}${left ? `, the first ${lines.length} shown` : ""}`;
  byId("table-more").hidden = !left;
}

/** A cell; a long number in four digits, with all of them in its title. The file that is kept has them all. */
function cell(text) {
  if (!LONG.test(text)) return element("td", {}, text);
  return element("td", { title: text }, String(Number(Number(text).toPrecision(4))));
}

async function download() {
  const name = byId("table-name").value;
  const file = new Blob([await inflateText(page.tables[name])], { type: "text/tab-separated-values" });
  const link = element("a", { href: URL.createObjectURL(file), download: name.replaceAll("/", "-") });
  link.click();
  URL.revokeObjectURL(link.href);
}
