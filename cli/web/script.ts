/** The script of the page, bundled by the build. A bundle has it as text instead of this module: scripts/bundle.mjs. */
import { readFileSync } from "node:fs";

export const pageScript = readFileSync(new URL("./page.js", import.meta.url), "utf8");
