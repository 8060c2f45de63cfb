// What can be computed of counts: shares of a matrix of so many rows and columns, ∅ last on both sides.
// With `symbol`, ∅ is a symbol like others; without, shares are of the tokens that have a phone on both sides, and the
// cell of ∅ is a share of all tokens of its phone. NaN for what is not defined.

/** p(column | row). */
function rowShares({ counts, height, width, symbol }) {
  const shares = new Float64Array(counts.length).fill(NaN);
  for (let row = 0; row < height; row++) {
    const own = counts.subarray(row * width, (row + 1) * width);
    const deleted = own[width - 1];
    const heard = own.reduce((sum, count) => sum + count, 0) - deleted;
    for (let column = 0; column < width; column++) {
      if (row === height - 1 && column === width - 1) continue;
      const whole = symbol || column === width - 1 ? heard + deleted : heard;
      if (whole) shares[row * width + column] = own[column] / whole;
    }
  }
  return shares;
}

/** p(row | column). */
function columnShares({ counts, height, width, symbol }) {
  const turned = transposed(counts, height, width);
  return transposed(rowShares({ counts: turned, height: width, width: height, symbol }), width, height);
}

function transposed(values, height, width) {
  return values.map((_, place) => values[(place % height) * width + Math.floor(place / height)]);
}

/** The first less the second; NaN where either has none. */
const difference = (first, second) => first.map((value, place) => value - second[place]);

modules["matrix/measures"] = { columnShares, difference, rowShares };
