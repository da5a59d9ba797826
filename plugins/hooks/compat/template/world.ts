/** This host, for templates. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { TemplateWorld } from "./functions.js";

export const hostWorld: TemplateWorld = {
  environment: (name) => process.env[name] ?? "",
  file: textOf,
  credential: (name) => {
    const directory = process.env.CREDENTIALS_DIRECTORY;
    const found = directory && /^[^/]+$/.test(name) ? textOf(join(directory, name)) : "";
    return found || (process.env[name] ?? "");
  },
};

function textOf(path: string): string {
  try {
    return readFileSync(path, "utf8").replace(/\r?\n$/, "");
  } catch {
    return "";
  }
}
