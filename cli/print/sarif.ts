/** Diagnostics as SARIF 2.1.0, which code hosts and editors read. */
import { pathToFileURL } from "node:url";
import type { ArtifactLocation, Location, Log, Region, ReportingDescriptor, Result } from "sarif";
import type { Diagnostic } from "../../grammar/diagnostic.js";
import { type JsonDiagnostic, type JsonRange, type Sources, toJson } from "../../grammar/index.js";
import { explanationOf } from "./explanations.js";

const SCHEMA =
  "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json";
const LEVELS = { error: "error", warning: "warning", info: "note" } as const;

/** `directory` is what relative file names start from; `version` is Reeve's own. */
export function sarifOf(
  diagnostics: readonly Diagnostic[],
  sources: Sources,
  { directory, version }: { readonly directory: string; readonly version: string },
): Log {
  const found = diagnostics.map((diagnostic) => toJson(diagnostic, sources));
  const codes = [...new Set(found.map(({ code }) => code))].sort();
  return {
    $schema: SCHEMA,
    version: "2.1.0",
    runs: [
      {
        tool: { driver: { name: "reeve", semanticVersion: version, rules: codes.map(ruleOf) } },
        columnKind: "utf16CodeUnits",
        originalUriBaseIds: { ROOT: { uri: `${pathToFileURL(directory).href}/` } },
        results: found.map((each) => resultOf(each, codes)),
      },
    ],
  };
}

function ruleOf(code: string): ReportingDescriptor {
  const known = explanationOf(code);
  if (!known) return { id: code };
  return {
    id: code,
    shortDescription: { text: known.title },
    fullDescription: { text: known.explanation },
    help: { text: known.explanation, markdown: known.explanation },
  };
}

function resultOf(diagnostic: JsonDiagnostic, codes: readonly string[]): Result {
  const { code, severity, message, label, help, notes = [], file, range, fix } = diagnostic;
  const words = [message, label, help, ...notes].filter((part) => part !== undefined);
  const related = [
    ...(diagnostic.related ?? []),
    ...(diagnostic.trace ?? []).map((step) => ({
      ...step,
      message: `expanded from ${step.description}`,
    })),
  ];
  return {
    ruleId: code,
    ruleIndex: codes.indexOf(code),
    level: LEVELS[severity],
    message: { text: words.join("\n") },
    ...(file === undefined ? {} : { locations: [locationOf({ file, range })] }),
    ...(related.length === 0
      ? {}
      : {
          relatedLocations: related.map((other, id) => ({
            id,
            ...locationOf(other),
            message: { text: other.message },
          })),
        }),
    ...(fix && {
      fixes: [
        {
          description: { text: fix.title },
          artifactChanges: [...Map.groupBy(fix.edits, (edit) => edit.file)].map(
            ([edited, edits]) => ({
              artifactLocation: artifactOf(edited),
              replacements: edits.map((edit) => ({
                deletedRegion: regionOf(edit.range),
                insertedContent: { text: edit.text },
              })),
            }),
          ),
        },
      ],
    }),
  };
}

function locationOf({
  file,
  range,
}: {
  readonly file: string;
  readonly range?: JsonRange | undefined;
}): Location {
  return {
    physicalLocation: {
      artifactLocation: artifactOf(file),
      ...(range && { region: regionOf(range) }),
    },
  };
}

/** Relative names stay relative, so that a report means the same in every check-out. */
const artifactOf = (file: string): ArtifactLocation =>
  file.startsWith("/")
    ? { uri: pathToFileURL(file).href }
    : { uri: file.split("/").map(encodeURIComponent).join("/"), uriBaseId: "ROOT" };

function regionOf(range: JsonRange | undefined): Region {
  if (!range) return { startLine: 1 };
  const { start, end } = range;
  return {
    startLine: start.line,
    startColumn: start.column,
    endLine: end.line,
    endColumn: end.column,
    charOffset: start.offset,
    charLength: end.offset - start.offset,
  };
}
