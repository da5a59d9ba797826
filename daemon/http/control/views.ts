/** What the daemon knows, as clients are told it. */
import type { Diagnostic, Source } from "../../../grammar/diagnostic.js";
import { toJson } from "../../../grammar/to-json.js";
import type { Generation, ReloadOutcome } from "../../reload/contract.js";
import type { HostedRun } from "../../services/contract.js";
import { problem } from "../problem.js";
import type {
  ConfigurationProblem,
  Findings,
  GenerationDetail,
  GenerationSummary,
  RunSummary,
} from "./api.js";

type Sources = ReadonlyMap<string, Source>;

/** Where a source is no longer kept, its diagnostics name the file and not the line. */
export function generationSummary(generation: Generation, sources: Sources): GenerationSummary {
  const { plan: _, ...rest } = generationDetail(generation, sources);
  return rest;
}

export function generationDetail(generation: Generation, sources: Sources): GenerationDetail {
  const diagnostics = generation.diagnostics.map((each) => toJson(each, sources));
  return { ...generation, diagnostics };
}

/** Only the sources that the diagnostics refer to. */
export function findings(diagnostics: readonly Diagnostic[], sources: Sources): Findings {
  const files = diagnostics.flatMap(({ location, related = [], trace = [], fix }) => [
    location?.file,
    ...[...related, ...trace].map((each) => each.location.file),
    ...(fix?.edits ?? []).map(({ file }) => file),
  ]);
  return {
    diagnostics: diagnostics.map((each) => toJson(each, sources)),
    sources: Object.fromEntries(
      [...new Set(files)].flatMap((file) => {
        const source = file === undefined ? undefined : sources.get(file);
        return source === undefined ? [] : [[source.path, source.text]];
      }),
    ),
  };
}

export function rejected(
  { diagnostics, sources }: { diagnostics: readonly Diagnostic[]; sources: Sources },
  generation?: Generation,
): ConfigurationProblem {
  return {
    ...problem("configuration_rejected", reasonOf(diagnostics, generation)),
    code: "configuration_rejected",
    ...findings(diagnostics, sources),
    ...(generation && { generation: generationDetail(generation, sources) }),
  };
}

/** Whether what was asked for runs now. */
export function isActive({ generation }: ReloadOutcome): boolean {
  return generation.state !== "rejected" && generation.state !== "rolled_back";
}

function reasonOf(diagnostics: readonly Diagnostic[], generation: Generation | undefined): string {
  if (generation?.reason !== undefined) return generation.reason;
  const errors = diagnostics.filter(({ severity }) => severity === "error").length;
  return `The configuration has ${errors} ${errors === 1 ? "error" : "errors"}.`;
}

export function runSummary({ output, request: _, ...run }: HostedRun): RunSummary {
  const { bytes, omitted } = output;
  return { ...run, output: { bytes, omitted } };
}
