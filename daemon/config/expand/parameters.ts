/** Parameters of mixins and files: their declarations, and the arguments of a `use` or `import`. */
import type { Diagnostic } from "../../../grammar/diagnostic.js";
import { suggest } from "../../../grammar/suggest.js";
import type * as tree from "../../../grammar/tree.js";
import {
  createDiagnostic,
  locationIn,
  type ReportDiagnostic,
  renameFix,
  suggestFix,
} from "../diagnose.js";
import { parameterTypes } from "../evaluate/parameter-type.js";
import type { GivenArguments, LetBinding, LexicalScope } from "../evaluate/scope.js";
import { orList } from "../types/describe.js";

/** Reports the type of a parameter if the language has no such type. */
export function checkType(
  { type }: tree.ParameterNode,
  scope: LexicalScope,
  report: ReportDiagnostic,
): void {
  if (!type || parameterTypes.includes(type.text)) return;
  const location = locationIn(scope.unit.name, type);
  const suggestion = FOREIGN[type.text] ?? suggest(type.text, parameterTypes);
  report(
    createDiagnostic("E303", location, `there is no type \`${type.text}\``, {
      label: suggestFix(suggestion),
      fix: renameFix(location, suggestion),
      help: `a parameter is ${orList(parameterTypes.map((name) => `\`${name}\``))}`,
    }),
  );
}

/** Names of types in other languages. */
const FOREIGN: Readonly<Record<string, string>> = {
  str: "string",
  text: "string",
  int: "number",
  integer: "number",
  float: "number",
  bool: "boolean",
  time: "duration",
  bytes: "size",
  percent: "percentage",
  regex: "pattern",
  array: "list",
  map: "object",
};

/**
 * Binds arguments to the parameters of a body. `subject` is the mixin or file in the words of messages. Absent
 * arguments are reported by `requireArguments`.
 */
export function bindArguments(
  scope: LexicalScope,
  given: GivenArguments,
  subject: string,
  report: ReportDiagnostic,
): void {
  scope.given = given;
  const { parameters } = scope;
  const seen = new Set<string>();
  for (const argument of given.nodes) {
    const problem = argumentProblem(argument, parameters, seen, given, subject);
    if (problem) report(problem.diagnostic);
    // One mistake, one diagnostic: what an argument with a wrong name is meant for is not missing.
    const name = problem ? problem.meant : argument.name?.text;
    const parameter = parameters.find((each) => each.name === name);
    if (parameter && !(problem && parameter.value))
      parameter.value = { node: argument.value, scope: given.scope };
    if (argument.name) seen.add(argument.name.text);
  }
}

function argumentProblem(
  argument: tree.CallArgument,
  parameters: readonly LetBinding[],
  seen: ReadonlySet<string>,
  { scope }: GivenArguments,
  subject: string,
): { readonly diagnostic: Diagnostic; readonly meant?: string | undefined } | undefined {
  const names = parameters.map((parameter) => parameter.name);
  const file = scope.unit.name;
  if (!argument.name) {
    const location = locationIn(file, argument.value);
    const name = names.find((each) => !seen.has(each));
    const text = name === undefined ? undefined : `${name} = `;
    const diagnostic = createDiagnostic(
      "E308",
      location,
      `the arguments of ${subject} have names`,
      {
        ...(text && {
          label: `write \`${text}…\``,
          fix: {
            title: `insert \`${text}\``,
            edits: [{ ...location, end: location.start, text }],
          },
        }),
      },
    );
    return { diagnostic, meant: name };
  }
  const { text } = argument.name;
  const location = locationIn(file, argument.name);
  if (!names.includes(text)) {
    const suggestion = suggest(text, names);
    const known = names.map((name) => `\`${name}\``);
    const diagnostic = createDiagnostic(
      "E308",
      location,
      `${subject} has no parameter \`${text}\``,
      {
        label: suggestFix(suggestion),
        fix: renameFix(location, suggestion),
        help:
          known.length === 0
            ? `declare it there: \`param ${text}\``
            : `its parameters are ${known.join(", ")}`,
      },
    );
    return { diagnostic, meant: suggestion };
  }
  if (!seen.has(text)) return undefined;
  return {
    diagnostic: createDiagnostic("E308", location, `the argument \`${text}\` is given twice`),
  };
}

/** Reports every parameter without a value. `help` says how to give one. */
export function requireArguments(
  scope: LexicalScope,
  location: { readonly file: string; readonly start: number; readonly end: number },
  subject: string,
  help: (parameter: string) => string,
  report: ReportDiagnostic,
): void {
  for (const { name, node, value } of scope.parameters) {
    if (value) continue;
    const declared = locationIn(scope.unit.name, node.name);
    report(
      createDiagnostic("E308", location, `${subject} needs the argument \`${name}\``, {
        help: help(name),
        ...(declared.file === location.file && declared.start === location.start
          ? {}
          : { related: [{ location: declared, message: "declared here, without a default" }] }),
      }),
    );
  }
}

/** Whether two scopes have the same arguments. Arguments inside a loop differ in each round. */
export function haveSameArguments(one: LexicalScope, other: LexicalScope): boolean {
  const first = givenTo(one);
  const second = givenTo(other);
  if (first?.nodes !== second?.nodes) return false;
  if (!first || !second || first.scope === second.scope) return true;
  const inLoop = first.scope.variableNames().length > 0;
  return !inLoop && haveSameArguments(first.scope, second.scope);
}

const givenTo = (scope: LexicalScope | undefined): GivenArguments | undefined =>
  scope && (scope.given ?? givenTo(scope.parent));
