// Rows or columns of a matrix: each a phone, or a natural class whose phones are summed.

/** The rows (or columns) of names: those of the chosen classes in one. A class that is called like a phone is not. */
export function groupsOf(names, classes, chosen) {
  const folded = Object.keys(classes).filter((name) => chosen.has(name) && !names.includes(name));
  const classOf = new Map(folded.flatMap((name) => classes[name].map((phone) => [phone, name])));
  const groups = new Map();
  names.forEach((name, place) => {
    const label = classOf.get(name) ?? name;
    if (!groups.has(label)) groups.set(label, { label, members: [], places: [], folded: classOf.has(name) });
    groups.get(label).members.push(name);
    groups.get(label).places.push(place);
  });
  return [...groups.values()];
}

/** The sums of a matrix of names over groups of its rows and columns; NaN where no cell has a number. */
export function sumsOver(values, width, rows, columns) {
  const sums = new Float64Array(rows.length * columns.length).fill(NaN);
  rows.forEach(({ places }, row) => {
    columns.forEach((column, number) => {
      let sum = NaN;
      for (const place of places) {
        for (const other of column.places) {
          const value = values[place * width + other];
          if (!Number.isNaN(value)) sum = Number.isNaN(sum) ? value : sum + value;
        }
      }
      sums[row * columns.length + number] = sum;
    });
  });
  return sums;
}
