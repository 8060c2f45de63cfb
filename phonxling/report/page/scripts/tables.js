// Every table of the results: to look at, and to keep.

import { inflateText, page, parseTable } from "./data.js";
import { byId, element, fillSelect } from "./elements.js";

const AT_ONCE = 100;

/** Fills the section on tables. */
export function startTables() {
  const names = Object.keys(page.tables);
  fillSelect(
    byId("table-name"),
    names.map((name) => [name, name]),
    names[0],
  );
  byId("table-name").oninput = showTable;
  byId("download").onclick = download;
  return showTable();
}

async function showTable() {
  const { columns, rows } = parseTable(await inflateText(page.tables[byId("table-name").value]));
  const head = element("tr", {}, ...columns.map((name) => element("th", { scope: "col" }, name)));
  const lines = rows
    .slice(0, AT_ONCE)
    .map((row) => element("tr", {}, ...columns.map((name) => element("td", {}, row[name] ?? ""))));
  byId("table-shown").replaceChildren(element("thead", {}, head), element("tbody", {}, ...lines));
  const left = rows.length - lines.length;
  byId("table-size").textContent = `${rows.length} rows${left > 0 ? `, the first ${AT_ONCE} shown` : ""}`;
}

async function download() {
  const name = byId("table-name").value;
  const file = new Blob([await inflateText(page.tables[name])], { type: "text/tab-separated-values" });
  const link = element("a", { href: URL.createObjectURL(file), download: name.replaceAll("/", "-") });
  link.click();
  URL.revokeObjectURL(link.href);
}
