// The first screen: a row for each corpus, of many in the chosen order and found by name; what is said of the chosen one.

function showFirst({ first: wanted = "best" }, corpus) {
  for (const each of document.querySelectorAll("#first-section [data-corpus]"))
    each.classList.toggle("chosen", each.dataset.corpus === corpus.name);
  if (!byId("first-controls")) return;
  const [select, search, body] = [byId("first-order"), byId("first-search"), byId("strips").tBodies[0]];
  byId("first-controls").hidden = false;
  select.value = [...select.options].some(({ value }) => value === wanted) ? wanted : "best";
  select.onchange = () => change({ first: select.value });
  body.append(...[...body.rows].sort(inOrderOf(select.value)));
  for (const row of body.rows) row.querySelector("a").hash = addressOf({ corpus: row.dataset.corpus, first: wanted });
  search.oninput = () => {
    const asked = search.value.trim().toLowerCase();
    for (const row of body.rows) row.hidden = !row.dataset.name.toLowerCase().includes(asked);
    const found = [...body.rows].filter((row) => !row.hidden).length;
    byId("first-count").textContent = asked ? `${found} of ${body.rows.length} corpora` : "";
  };
}

const inOrderOf = (key) => (a, b) => {
  if (key === "corpus") return a.dataset.name.localeCompare(b.dataset.name, "en", { numeric: true });
  const [one, other] = [a, b].map(({ dataset }) => Number(dataset[key]));
  return Number(Number.isNaN(one)) - Number(Number.isNaN(other)) || one - other;
};
