import type { Diagnostic, Source } from "../../grammar/diagnostic.js";
import { ReeveError } from "../errors.js";
import type { Generation, ReloadOutcome } from "./contract.js";

/** Nothing can run: the configuration on disk is refused, and there is no earlier one that could run instead. */
export class InvalidConfiguration extends ReeveError {
  readonly generation: Generation;
  readonly diagnostics: readonly Diagnostic[];
  /** For rendering the diagnostics. */
  readonly sources: ReadonlyMap<string, Source>;

  constructor({ generation, sources }: ReloadOutcome) {
    super("configuration_invalid", `The configuration cannot run: ${generation.reason}.`, {
      help: "Mend what the diagnostics say; `reeve check` shows them again.",
    });
    this.generation = generation;
    this.diagnostics = generation.diagnostics;
    this.sources = sources;
  }
}
