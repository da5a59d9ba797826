/** Small questions about what a load and a plan came to. */
import type { Diagnostic } from "../../grammar/diagnostic.js";
import type { Plan, Program } from "../config/program.js";
import { isSameCode, type PluginCode } from "./load-with-code.js";

/** `1 error`, `3 errors`. */
export function countErrors(diagnostics: readonly Diagnostic[]): string {
  const count = diagnostics.filter(({ severity }) => severity === "error").length;
  return `${count} error${count === 1 ? "" : "s"}`;
}

/** Whether nothing has to be done to get from what runs to the next program: the text moved at most. */
export function isEmptyPlan(
  plan: Plan,
  running: { readonly program: Program; readonly code: PluginCode },
  next: Program,
  code: PluginCode,
): boolean {
  return (
    plan.settings === undefined &&
    plan.changes.every(({ action }) => action === "unchanged") &&
    declared(running.program) === declared(next) &&
    isSameCode(running.code, code)
  );
}

/** What the `plugin` blocks say, wherever they stand. */
const declared = ({ declarations }: Program): string =>
  JSON.stringify(
    declarations
      .map(({ name, source, version, isolation }) => [name, source, version, isolation])
      .sort(),
  );
