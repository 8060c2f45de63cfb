// Which rows and columns of a view are shown, and in which order.

const { GAP } = modules.data;
const { ordered } = modules["matrix/orders"];

/** The places of the rows and columns that the filters leave, in the chosen order. */
function placesOf({ corpus, class: name, partners, order }, views, listed) {
  const [view] = views;
  const { rows, columns } = ordered(view, order, listed);
  const members = name && new Set(corpus.classes[name]);
  const kept = rows.filter((row) => !members || view.rows[row] === GAP || members.has(view.rows[row]));
  if (!partners) return { rows: kept, columns };
  const [own, heard] = [view.rows.indexOf(partners), view.columns.indexOf(partners)];
  const meet = (row, column) =>
    row >= 0 && column >= 0 && views.some(({ counts }) => counts[row * view.columns.length + column] > 0);
  return {
    rows: kept.filter((row) => row === own || meet(row, heard)),
    columns: columns.filter((column) => column === heard || meet(own, column)),
  };
}

modules["matrix/places"] = { placesOf };
