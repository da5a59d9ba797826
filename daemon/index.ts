/**
 * `reeve`: the language and the daemon, for programs.
 *
 *     const catalog = createCatalog();
 *     const { program, diagnostics, sources } = await load("/srv/reeve/main.reeve", { catalog });
 *     if (!program) console.error(render(diagnostics, sources));
 *     await catalog.close();
 *
 * Text is read and written with `parse` and `format`; `load` makes it a program; `plan` compares two; `runDaemon` makes
 * one run. What is wrong with a text comes back as diagnostics; what else a person can mend is a `ReeveError`.
 */

export {
  type Diagnostic,
  type Formatted,
  format,
  parse,
  type RenderOptions,
  render,
  type Severity,
  type Source,
  type SourceLocation,
} from "../grammar/index.js";
export { type Catalog, type CatalogOptions, createCatalog } from "./catalog/catalog.js";
export { type LoadOptions, load } from "./config/load.js";
export { plan } from "./config/plan.js";
export type {
  Change,
  ChangeAction,
  ChangeReason,
  DaemonSettings,
  Loaded,
  Plan,
  PluginDeclaration,
  Program,
  ProgramBlock,
  TestOutcome,
} from "./config/program.js";
export { ReeveError } from "./errors.js";
export { directoriesFor } from "./main/directories.js";
export { type ReadyInfo, type RunOptions, runDaemon } from "./main.js";
export { InvalidConfiguration } from "./reload/invalid.js";
