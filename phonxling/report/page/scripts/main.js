// Starts the page's parts. Without this the page still shows its findings, its numbers and their definitions.

import { startExplorer } from "./explore.js";
import { startMap, startRanking } from "./plots.js";
import { startTables } from "./tables.js";

await Promise.all([startExplorer(), startRanking(), startMap(), startTables()]);
document.documentElement.dataset.ready = "yes";
