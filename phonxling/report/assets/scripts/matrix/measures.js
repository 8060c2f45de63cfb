// What can be computed of counts: shares of a matrix of so many rows and columns, ∅ last on both sides. They are of all
// tokens of a phone, deleted or inserted ones too; NaN for what is not defined.

/** The share of a row's tokens; `heard`: of those that were not deleted, but for the column ∅. */
function rowShares({ counts, height, width, heard = false }) {
  const shares = new Float64Array(counts.length).fill(NaN);
  for (let row = 0; row < height; row++) {
    const own = counts.subarray(row * width, (row + 1) * width);
    const all = own.reduce((sum, count) => sum + count, 0);
    const end = row === height - 1 ? width - 1 : width; // nothing is aligned with nothing
    for (let column = 0; column < end; column++) {
      const whole = heard && column < width - 1 ? all - own[width - 1] : all;
      if (whole) shares[row * width + column] = own[column] / whole;
    }
  }
  return shares;
}

/** The share of a column's tokens. */
function columnShares({ counts, height, width }) {
  const turned = transposed(counts, height, width);
  return transposed(rowShares({ counts: turned, height: width, width: height }), width, height);
}

function transposed(values, height, width) {
  return values.map((_, place) => values[(place % height) * width + Math.floor(place / height)]);
}

/** The first less the second; NaN where either has none. */
const difference = (first, second) => first.map((value, place) => value - second[place]);

modules["matrix/measures"] = { columnShares, difference, rowShares };
