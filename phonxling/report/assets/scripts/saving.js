// Saving what the page shows as a file.

const { element } = modules.elements;

/** Offers a text as a download of that name. */
function save(name, text, type) {
  const link = element("a", {
    href: URL.createObjectURL(new Blob([text], { type })),
    download: name.replaceAll("/", "-"),
  });
  link.click();
  URL.revokeObjectURL(link.href);
}

/** A table as TSV; a cell holds no tab and no line break. */
function tsv(columns, rows) {
  const line = (cells) => cells.map((cell) => String(cell).replace(/[\t\r\n]+/g, " ")).join("\t");
  return `${[columns, ...rows].map(line).join("\n")}\n`;
}

modules.saving = { save, tsv };
