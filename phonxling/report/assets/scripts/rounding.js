// Numbers in three significant digits, as phonxling/report/numbers.py has them.

const MOST_DECIMALS = 6; // decimals

/** A value, rounded by itself, with its interval, where there is one, in the decimals of the larger limit. */
function rounded(value, low = NaN, high = NaN) {
  if (Number.isNaN(value)) return "";
  if (Number.isNaN(low) || Number.isNaN(high)) return plain(value);
  const places = decimals(Math.max(0, ...[low, high].map(Math.abs).filter(Number.isFinite)));
  const [least, most] = [low, high].map((limit) => fixed(limit, limit === 0 ? 0 : places));
  return `${fixed(value, decimals(Math.abs(value)))} [${least}, ${most}]`;
}

/** The decimals at which a size shows three digits. */
function decimals(size) {
  return size > 0 ? Math.min(MOST_DECIMALS, Math.max(0, 2 - Math.floor(Math.log10(Number(size.toExponential(2)))))) : 0;
}

/** A number alone: whole ones as they are, others in three digits; – for none. */
function plain(value) {
  if (Number.isNaN(value)) return "–";
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  return fixed(value, Number.isInteger(value) ? 0 : decimals(Math.abs(value)));
}

function fixed(value, places) {
  if (!Number.isFinite(value)) return plain(value);
  const [whole, part] = toEven(Math.abs(value), places).split(".");
  const grouped = whole.length > 3 ? Number(whole).toLocaleString("en") : whole; // which takes long for thousands of cells
  const digits = grouped + (part ? `.${part}` : "");
  return value < 0 && /[1-9]/.test(digits) ? `−${digits}` : digits;
}

/** A positive number in so many decimals, one that lies right between two to the even one, as Python rounds. */
function toEven(value, places) {
  const text = value.toFixed(places + 25); // no number lies closer to the middle without being it
  const cut = text.slice(0, text.length - 25).replace(/\.$/, "");
  const tie = /^50*$/.test(text.slice(-25)) && Number(cut.at(-1)) % 2 === 0;
  return tie ? cut : value.toFixed(places);
}
