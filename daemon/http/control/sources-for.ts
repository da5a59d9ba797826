import type { Generation, Reloader } from "../../reload/contract.js";

/** The texts that a generation's diagnostics point into; they are looked for only where there are some. */
export const sourcesFor = (
  reloader: Reloader,
  { number, diagnostics }: Generation,
): ReturnType<Reloader["sources"]> =>
  diagnostics.length > 0 ? reloader.sources(number) : Promise.resolve(new Map());
