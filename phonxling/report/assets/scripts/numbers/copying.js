// Copying a line of text, in a browser that lets a page write to the clipboard and in one that does not.

import { element } from "../elements.js";

/** Copies a line, and shows it: where it could not be copied it stands selected. */
export async function copyLine(place, text) {
  const field = element("input", { readonly: "", size: "60", "aria-label": "the line for a paper" });
  field.value = text;
  const done = element("span", {}, "Copied: ");
  place.replaceChildren(done, field);
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    field.select();
    if (!document.execCommand("copy")) done.textContent = "Select and copy: ";
  }
}
