// The consonants as in the IPA's chart: how often each is predicted as itself, and what else it is predicted as.

const { addressOf } = modules.address;
const { byId, element } = modules.elements;
const { CHART } = modules["pictures/chart"];
const { answersOf, FEW, goldOf, percent, pictureLink } = modules["pictures/phones"];

const LEAST = 0.1; // share of an answer that is shown

const consonants = { id: "consonants", keys: [], show };

function show(_, corpus) {
  const { manners, places, consonants: known } = CHART;
  const gold = goldOf(corpus)
    .filter(({ phone }) => known[phone])
    .map((one) => ({ ...one, manner: known[one.phone][0], place: known[one.phone][1] }));
  byId("consonants-section").hidden = gold.length === 0;
  pictureLink("consonants", corpus);
  const columns = places.filter((place) => gold.some((one) => one.place === place));
  const rows = manners.filter((manner) => gold.some((one) => one.manner === manner));
  const head = element("tr", {}, element("td"), ...columns.map((name) => element("th", { scope: "col" }, name)));
  const lines = rows.map((manner) => {
    const cells = columns.map((place) => gold.filter((one) => one.manner === manner && one.place === place));
    const made = cells.map((own) => element("td", {}, ...own.map((one) => phoneOf(corpus, one))));
    return element("tr", {}, element("th", { scope: "row" }, manner), ...made);
  });
  byId("consonants").replaceChildren(element("thead", {}, head), element("tbody", {}, ...lines));
}

function phoneOf(corpus, { phone, tokens, accuracy }) {
  const [answer] = (tokens < FEW ? [] : answersOf(corpus, phone)).filter(
    ([heard, share]) => heard !== phone && share >= LEAST,
  );
  const title = `${phone}: ${tokens} tokens, ${percent(accuracy)} as itself`;
  const own = element(
    "a",
    { href: addressOf({ corpus: corpus.name, phone }), class: tokens < FEW ? "phone few" : "phone", title },
    phone,
  );
  own.style.setProperty("--v", percent(accuracy).replace(" ", ""));
  own.classList.toggle("dark", accuracy > 0.6);
  if (!answer) return element("span", { class: "consonant" }, own);
  const href = addressOf({ corpus: corpus.name, gold: phone, heard: answer[0] });
  return element(
    "span",
    { class: "consonant" },
    own,
    element("a", { href, class: "answer" }, `→ ${answer[0]} ${percent(answer[1])}`),
  );
}

modules["pictures/consonants"] = { consonants };
