// Where phones stand in the IPA's charts; vowels as shares of the quadrilateral's width and height.

const { page } = modules.data;

const SLOPE = 0.42; // how far the front moves back from close to open, as a share of the width

/** The manners and places of the chart of consonants in order, and where each phone of the page stands. */
const CHART = page.orders.places ?? { manners: [], places: [], consonants: {}, vowels: {} };

/** Where a vowel is said, and where a diphthong ends; null for others. */
function vowelAt(phone) {
  const [from, to] = CHART.vowels[phone] ?? [];
  return from ? { from: at(from), to: to ? at(to) : null } : null;
}

function at([height, backness, rounded]) {
  const [y, back] = [height / 3, backness / 2];
  return { x: SLOPE * y * (1 - back) + back, y, side: rounded ? 1 : -1 };
}

modules["pictures/chart"] = { CHART, SLOPE, vowelAt };
