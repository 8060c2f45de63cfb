// In which order the rows and columns of a matrix stand.

const { GAP } = modules.data;

const ORDERS = {
  chart: "IPA chart (place, manner, voice)",
  features: "features: like phones side by side",
  frequency: "frequency",
};

/** The places of a view's rows and columns in the chosen order, ∅ last; `listed`: phones in the orders of a page. */
function ordered(view, order, listed) {
  if (order === "frequency") return { rows: byTokens(view, true), columns: byTokens(view, false) };
  const names = listed[order === "features" ? "features" : "chart"] ?? [];
  const rank = new Map(names.map((name, place) => [name, place]));
  const first = (name) => rank.get(name) ?? names.length;
  return { rows: ranked(view.rows, first), columns: ranked(view.columns, first) };
}

/** The places of groups from the lowest value to the highest, ∅ last. */
function ranked(groups, measure) {
  const values = groups.map(measure);
  const last = (place) => Number(groups[place] === GAP);
  return groups.map((_, place) => place).sort((a, b) => last(a) - last(b) || values[a] - values[b] || a - b);
}

function byTokens({ rows, columns, counts }, ofRows) {
  const totals = new Float64Array(ofRows ? rows.length : columns.length);
  counts.forEach((count, place) => {
    totals[ofRows ? Math.floor(place / columns.length) : place % columns.length] += count;
  });
  const groups = ofRows ? rows : columns;
  return ranked(groups, (group) => -totals[groups.indexOf(group)]);
}

modules["matrix/orders"] = { ordered, ORDERS };
