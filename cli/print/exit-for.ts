import type { Diagnostic } from "../../grammar/diagnostic.js";
import { Exit, type ExitCode } from "../plugin-api/exit.js";

/** A failing test is an error like any other, except that the rest of the configuration is sound. */
const TESTS = new Set(["E701", "E702"]);

/** The exit code that diagnostics ask for; with `strict` warnings are findings. */
export function exitFor(
  diagnostics: readonly Pick<Diagnostic, "code" | "severity" | "host">[],
  strict = false,
): ExitCode {
  const errors = diagnostics.filter(({ severity }) => severity === "error");
  const severe = errors.filter(({ code }) => !TESTS.has(code));
  if (severe.some(({ host }) => !host)) return Exit.configuration;
  if (severe.length > 0) return Exit.temporary;
  if (errors.length > 0) return Exit.findings;
  const warned = diagnostics.some(({ severity }) => severity === "warning");
  return strict && warned ? Exit.findings : Exit.ok;
}
