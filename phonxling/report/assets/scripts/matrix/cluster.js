// Hierarchical clustering of the rows of a matrix: average linkage on the Hellinger distance of their profiles.

/** The merges, in the order of their heights: two clusters and their distance; cluster `rows + k` is that of merge k. */
export function linkage(profiles) {
  const roots = profiles.map((row) => row.map((share) => Math.sqrt(share)));
  const far = roots.map((row) => roots.map((other) => Math.hypot(...row.map((root, place) => root - other[place]))));
  const open = new Map(profiles.map((_, place) => [place, { id: place, size: 1 }])); // by a row that stands for each
  const merges = [];
  while (open.size > 1) {
    const [first, second] = nearest([...open.keys()], far);
    const [one, other] = [open.get(first), open.get(second)];
    merges.push([Math.min(one.id, other.id), Math.max(one.id, other.id), far[first][second]]);
    for (const each of open.keys()) {
      const distance = (one.size * far[first][each] + other.size * far[second][each]) / (one.size + other.size);
      far[first][each] = distance;
      far[each][first] = distance;
    }
    open.delete(second);
    open.set(first, { id: profiles.length + merges.length - 1, size: one.size + other.size });
  }
  return merges;
}

/** The two that are nearest; of equal distances the first. */
function nearest(rows, far) {
  let best = [rows[0], rows[1]];
  rows.forEach((row, place) => {
    for (const other of rows.slice(place + 1)) {
      if (far[row][other] < far[best[0]][best[1]]) best = [row, other];
    }
  });
  return best;
}

/** The rows in the order of the leaves of their tree. */
export function leaves(profiles) {
  const clusters = profiles.map((_, place) => [place]);
  for (const [first, second] of linkage(profiles)) clusters.push([...clusters[first], ...clusters[second]]);
  return clusters.at(-1) ?? [];
}

/** The order of columns that brings strong cells near the diagonal; empty columns go last. */
export function alongDiagonal(profiles, width) {
  const pulled = Array.from({ length: width }, (_, column) => {
    const squares = profiles.map((row) => row[column] ** 2);
    const total = squares.reduce((sum, square) => sum + square, 0);
    return total ? squares.reduce((sum, square, place) => sum + square * place, 0) / total : Infinity;
  });
  return pulled.map((_, column) => column).sort((a, b) => (pulled[a] === pulled[b] ? a - b : pulled[a] - pulled[b]));
}
