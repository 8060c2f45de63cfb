// Numbers: marks the measure that an address names.

const { byId } = modules.elements;

const numbers = { id: "numbers", keys: ["measure"], show, place };

function show({ measure }) {
  for (const row of byId("numbers-table").tBodies[0].rows) {
    row.classList.toggle("chosen", row.dataset.measure === measure);
  }
}

/** Where a state leads: to the row of its measure; to its definition where the table has none. */
function place({ measure }) {
  if (!measure) return byId("numbers-section");
  return byId("numbers-table").querySelector("tr.chosen") ?? byId(`def-${measure.split(" ")[0]}`);
}

modules["numbers/section"] = { numbers };
