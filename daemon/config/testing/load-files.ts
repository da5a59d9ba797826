/** Loads a configuration made of texts, with the plugins of the tests. */

import { render } from "../../../grammar/render.js";
import { load } from "../load.js";
import type { Loaded, Program } from "../program.js";
import { catalog } from "./catalog.js";
import { type Files, MAIN, memoryDisk } from "./memory-disk.js";

export function loadFiles(
  files: string | Files,
  environment: Readonly<Record<string, string>> = {},
): Promise<Loaded> {
  const disk = memoryDisk(typeof files === "string" ? { "main.reeve": files } : files);
  return load(MAIN, { catalog, environment, explainable: true, ...disk });
}

/** The program; throws with the rendered diagnostics where there is none. */
export async function programOf(
  files: string | Files,
  environment: Readonly<Record<string, string>> = {},
): Promise<Program> {
  const { program, diagnostics, sources } = await loadFiles(files, environment);
  if (program) return program;
  throw new Error(render(diagnostics, sources));
}
