// Tables of numbers by phones: taken from a long table, and put over other phones.

/** A column of a long table by the phones of two others, NaN where it has none. */
function fromTable(table, row, column, name) {
  const [rows, columns] = [row, column].map((side) => [...new Set(table.map((line) => line[side]))]);
  const [down, across] = [rows, columns].map(placesOf);
  const values = new Float64Array(rows.length * columns.length).fill(NaN);
  for (const line of table) {
    const text = line[name];
    if (text !== "") values[down.get(line[row]) * columns.length + across.get(line[column])] = Number(text);
  }
  return { rows, columns, values };
}

/** The same numbers over other rows and columns; `blank` where they had none. */
function over({ rows, columns, values }, frame, blank) {
  const [down, across] = [rows, columns].map(placesOf);
  const width = frame.columns.length;
  return Float64Array.from({ length: frame.rows.length * width }, (_, place) => {
    const row = down.get(frame.rows[Math.floor(place / width)]);
    const column = across.get(frame.columns[place % width]);
    return row === undefined || column === undefined ? blank : values[row * columns.length + column];
  });
}

/** The rows and columns of two: the columns of either, the rows of either or, `common`, of both. */
function bothFrames(first, second, common) {
  const rows = common ? first.rows.filter((name) => second.rows.includes(name)) : [...first.rows, ...second.rows];
  return { rows: [...new Set(rows)], columns: [...new Set([...first.columns, ...second.columns])] };
}

const placesOf = (names) => new Map(names.map((name, place) => [name, place]));

modules["matrix/frame"] = { bothFrames, fromTable, over };
