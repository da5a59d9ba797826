/** Small questions about what a load and a plan came to. */
import type { Diagnostic } from "../../grammar/diagnostic.js";
import type { Plan, Program } from "../config/program.js";

/** `1 error`, `3 errors`. */
export function countErrors(diagnostics: readonly Diagnostic[]): string {
  const count = diagnostics.filter(({ severity }) => severity === "error").length;
  return `${count} error${count === 1 ? "" : "s"}`;
}

/** Whether nothing has to be done to get from one program to the next: the text moved at most. */
export function isIdle(plan: Plan, before: Program, next: Program): boolean {
  return (
    plan.settings === undefined &&
    plan.changes.every(({ action }) => action === "unchanged") &&
    declared(before) === declared(next)
  );
}

/** What the `plugin` blocks say, wherever they stand. */
const declared = ({ declarations }: Program): string =>
  JSON.stringify(
    declarations
      .map(({ name, source, version, isolation }) => [name, source, version, isolation])
      .sort(),
  );
