// A definition leads back to where the reader came from.

import { byId } from "../elements.js";

export const definitions = { id: "definitions", keys: [], show };

function show() {
  byId("definitions-section").onclick = ({ target }) => target.closest("button.back") && history.back();
}
