// The findings on the chosen corpus; without scripts, and in print, those on all.

import { byId } from "./elements.js";

export const findings = { id: "findings", keys: [], show };

function show(_, corpus) {
  for (const article of byId("findings-section").querySelectorAll("article")) {
    article.hidden = article.dataset.corpus !== corpus.name;
  }
}
