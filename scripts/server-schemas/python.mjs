// Pyright and basedpyright. Their diagnostic rules are read from their code, which names each in an enumeration.
import { choice, flag, integer, list, number, oneOf, text } from "./notation.mjs";

const SEVERITY = {
  type: ["string", "boolean"],
  enum: ["none", "information", "warning", "error", true, false],
};

/** @param server `pyright` or `basedpyright` */
export function python(code, server) {
  const isBased = server === "basedpyright";
  const rules = [
    ...new Set([...code.matchAll(/="(report[A-Z][A-Za-z]+)"/g)].map(([, rule]) => rule)),
  ];
  if (rules.length < 50) throw new Error(`The diagnostic rules of ${server} are elsewhere.`);
  const modes = ["off", "basic", "standard", "strict", ...(isBased ? ["recommended", "all"] : [])];
  const analysis = {
    typeCheckingMode: oneOf(isBased ? "recommended" : "standard", modes),
    diagnosticMode: choice("openFilesOnly", "workspace"),
    diagnosticSeverityOverrides: {
      type: "object",
      default: {},
      additionalProperties: false,
      properties: Object.fromEntries(rules.sort().map((rule) => [rule, SEVERITY])),
    },
    autoImportCompletions: flag(true),
    autoSearchPaths: flag(true),
    useLibraryCodeForTypes: flag(true),
    extraPaths: list(),
    include: list(),
    exclude: list(),
    ignore: list(),
    stubPath: text("typings"),
    typeshedPaths: list(),
    logLevel: oneOf("Information", ["Error", "Warning", "Information", "Trace"]),
    logTypeEvaluationTime: flag(),
    typeEvaluationTimeThreshold: number(),
    ...(isBased
      ? {
          autoFormatStrings: flag(true),
          baselineFile: text(),
          baselineMode: { type: "string", enum: ["auto", "discard"] },
          configFilePath: text(),
          fileEnumerationTimeout: integer(),
          "inlayHints.callArgumentNames": flag(true),
          "inlayHints.callArgumentNamesMatching": flag(false),
          "inlayHints.functionReturnTypes": flag(true),
          "inlayHints.genericTypes": flag(false),
          "inlayHints.variableTypes": flag(true),
          useTypingExtensions: flag(false),
        }
      : {}),
  };
  const section = isBased ? "basedpyright" : "python";
  return {
    ...Object.fromEntries(
      Object.entries(analysis).map(([key, each]) => [`${section}.analysis.${key}`, each]),
    ),
    "python.pythonPath": text(),
    "python.venvPath": text(),
    [`${server}.disableLanguageServices`]: flag(false),
    [`${server}.disableOrganizeImports`]: flag(false),
    [`${server}.disableTaggedHints`]: flag(false),
  };
}
