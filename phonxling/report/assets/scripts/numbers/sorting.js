// Sorting rows by a column: numbers by value, texts by letters, what is missing last.

const { number } = modules.data;
const { element } = modules.elements;

/** A head that sorts by its column when it is clicked: its name in words; its title tells what the column means. */
function sortHead(name, meaning, { column, down }, sortBy) {
  const order = column === name ? (down ? "descending" : "ascending") : "none";
  const arrow = { ascending: " ▲", descending: " ▼", none: "" }[order];
  const button = element("button", { type: "button", title: meaning || null }, name.replaceAll("_", " ") + arrow);
  button.onclick = () => sortBy(name);
  return element("th", { scope: "col", "aria-sort": order }, button);
}

/** Rows in the order of a column, the least first or, down, last. */
function sortedRows(rows, column, down) {
  const sign = down ? -1 : 1;
  const numeric = rows.every((row) => row[column] === "" || !Number.isNaN(number(row[column])));
  const compared = numeric
    ? (a, b) => number(a) - number(b) || 0
    : (a, b) => a.localeCompare(b, "en", { numeric: true });
  const missing = (row) => (row[column] ?? "") === "";
  return [...rows].sort((a, b) => missing(a) - missing(b) || sign * compared(a[column], b[column]));
}

modules["numbers/sorting"] = { sortedRows, sortHead };
