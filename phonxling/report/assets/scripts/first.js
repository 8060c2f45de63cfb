// The first screen: cards in the chosen order; of many corpora strips, and the card of the chosen one.

const { addressOf, readState } = modules.address;
const { byId } = modules.elements;

const first = { id: "first", keys: ["first"], show };

function show({ first: wanted = "best" }, corpus) {
  const select = byId("first-order");
  select.closest("label").hidden = document.querySelectorAll(".card").length < 2;
  select.value = [...select.options].some(({ value }) => value === wanted) ? wanted : "best";
  select.onchange = () => location.replace(addressOf({ ...readState(), first: select.value }));
  for (const list of document.querySelectorAll("#first-section .cards, #first-section .strips")) {
    list.append(...[...list.children].sort(by(select.value)));
    for (const each of list.children) each.classList.toggle("chosen", each.dataset.corpus === corpus.name);
  }
}

const by = (key) => (a, b) => {
  const [one, other] = [a, b].map(({ dataset }) => dataset[key]);
  if (key === "corpus") return one.localeCompare(other, "en", { numeric: true });
  return (Number.isNaN(Number(one)) ? 1 : 0) - (Number.isNaN(Number(other)) ? 1 : 0) || one - other;
};

modules.first = { first };
