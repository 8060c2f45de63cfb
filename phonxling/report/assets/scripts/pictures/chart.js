// Where phones stand in the IPA's charts: vowels by height, backness and rounding, consonants by place and manner.

const HEIGHTS = [
  [0, "iyɨʉɯu"],
  [0.17, "ɪʏ···ʊ"],
  [0.33, "eøɘɵɤo"],
  [0.5, "··əɚ··"],
  [0.67, "ɛœɜɞʌɔ"],
  [0.83, "æ·ɐɝ··"],
  [1, "aɶ··ɑɒ"],
]; // from close to open; in each front, central and back, the unrounded first
export const SLOPE = 0.42; // how far the front moves back from close to open, as a share of the width

const VOWELS = new Map(
  HEIGHTS.flatMap(([y, letters]) =>
    [...letters].map((letter, slot) => {
      const inward = y === 0.17 ? 0.15 : 0;
      const back = Math.max(inward, Math.min(1 - inward, Math.floor(slot / 2) / 2));
      return [letter, { x: SLOPE * y * (1 - back) + back, y, side: slot % 2 ? 1 : -1 }];
    }),
  ),
);

export const PLACES = [
  ...["bilabial", "labiodental", "dental", "alveolar", "postalveolar", "retroflex"],
  ...["palatal", "labial-velar", "velar", "uvular", "pharyngeal", "glottal"],
];
const MANNERS = {
  plosive: "pb|||td||ʈɖ|cɟ||kɡ|qɢ|ʡ|ʔ",
  implosive: "ɓ|||ɗ|||ʄ||ɠ|ʛ",
  nasal: "m|ɱ||n||ɳ|ɲ||ŋ|ɴ",
  trill: "ʙ|||r||||||ʀ",
  "tap or flap": "|ⱱ||ɾ||ɽ",
  affricate: "",
  fricative: "ɸβ|fv|θð|sz|ʃʒɕʑ|ʂʐ|çʝ|ʍ|xɣɧ|χʁ|ħʕ|hɦ",
  "lateral fricative": "|||ɬɮ",
  approximant: "|ʋ||ɹ||ɻ|jɥ|w|ɰ",
  lateral: "|||lɫɺ||ɭ|ʎ||ʟ",
  click: "ʘ||ǀ|ǃǁ|ǂ",
};
export const MANNER_NAMES = Object.keys(MANNERS);
const CONSONANTS = new Map(
  Object.entries(MANNERS).flatMap(([manner, cells]) =>
    cells
      .split("|")
      .flatMap((letters, place) => [...letters].map((letter) => [letter, { manner, place: PLACES[place] }])),
  ),
);

/** Where a vowel is said: the place of its first letter, and of its last where it is a diphthong; null for others. */
export function vowelAt(phone) {
  const places = [...phone.normalize("NFD")].filter((letter) => VOWELS.has(letter)).map((letter) => VOWELS.get(letter));
  return places.length ? { from: places[0], to: places.length > 1 ? places.at(-1) : null } : null;
}

/** The manner and the place of a consonant; null for a phone that the chart lacks. */
export function consonantAt(phone) {
  const known = [...phone.normalize("NFD")]
    .filter((letter) => CONSONANTS.has(letter))
    .map((each) => CONSONANTS.get(each));
  if (known.length < 2) return known[0] ?? null;
  const [first, last] = [known[0], known.at(-1)];
  if (first.manner === "plosive" && last.manner.endsWith("fricative"))
    return { manner: "affricate", place: last.place };
  return first.place === "bilabial" && last.place === "velar" ? { ...last, place: "labial-velar" } : first;
}
