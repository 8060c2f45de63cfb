// Numbers as a paper prints them: as many digits as the uncertainty allows, as phonxling/report/rounding.py has them.

const MOST = 6; // decimals

/** A value with its interval, where there is one: the interval's half width shows two digits. */
export function rounded(value, low = NaN, high = NaN) {
  if (Number.isNaN(value)) return "";
  if (Number.isNaN(low) || Number.isNaN(high)) return plain(value);
  const places = decimals((high - low) / 2);
  return `${fixed(value, places)} [${fixed(low, places)}, ${fixed(high, places)}]`;
}

/** The decimals at which a spread shows two digits. */
export function decimals(spread) {
  if (spread === 0) return MOST;
  if (!(spread > 0) || spread === Infinity) return 0;
  return clamped(1 - Math.floor(Math.log10(Number(spread.toExponential(1)))));
}

/** A number alone: whole ones as they are, others in three digits. */
export function plain(value) {
  if (!Number.isFinite(value)) return value > 0 ? "∞" : "−∞";
  if (Number.isInteger(value)) return fixed(value, 0);
  return fixed(value, clamped(2 - Math.floor(Math.log10(Math.abs(value)))));
}

const clamped = (places) => Math.min(MOST, Math.max(0, places));

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
