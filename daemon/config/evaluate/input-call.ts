/** `env(…)` and `file(…)`: inputs, requested by name. */
import { dirname, resolve } from "node:path";
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic } from "../diagnose.js";
import type { FileFault } from "../inputs.js";
import { limits } from "../limits.js";
import { isBelow } from "../paths.js";
import { describeValue } from "../types/describe.js";
import { quoteString } from "../values/render.js";
import { type EvaluationContext, locationOf } from "./evaluation-run.js";
import { BROKEN, type Evaluated, missing, NoValue, PENDING } from "./outcome.js";
import { evaluateKnown } from "./strict.js";

/** `env(name, default = …)`. */
export function readEnvironment(
  node: tree.CallExpression,
  nameNode: tree.ExpressionNode,
  otherwise: tree.ExpressionNode | undefined,
  context: EvaluationContext,
): Evaluated {
  const name = textArgument(nameNode, "the name of an environment variable", context);
  if (name instanceof NoValue) return name;
  const answer = context.world.ask({ kind: "environment", name }, context);
  if (!answer) return PENDING;
  if (answer.kind === "environment" && answer.value !== undefined) return answer.value;
  if (otherwise) return context.world.evaluate(otherwise, context);
  return missing(
    createDiagnostic(
      "E503",
      locationOf(node, context),
      `the environment variable \`${name}\` is not set`,
      {
        help: `say what to use then: \`env(${quoteString(name)}, default = "…")\``,
      },
    ),
  );
}

/** `file(path)`, relative to the file it is written in. */
export function readFile(pathNode: tree.ExpressionNode, context: EvaluationContext): Evaluated {
  const written = textArgument(pathNode, "the path of a file", context);
  if (written instanceof NoValue) return written;
  const { world, scope } = context;
  const path = resolve(dirname(scope.unit.path), written);
  const location = locationOf(pathNode, context);
  if (!world.roots.some((root) => isBelow(path, root))) {
    context.report(outsideComplaint(location, written));
    return BROKEN;
  }
  const answer = world.ask({ kind: "file", path, within: world.roots }, context);
  if (!answer) return PENDING;
  if (answer.kind === "file") return answer.text;
  const why = answer.kind === "no_file" ? answer.why : "unreadable";
  const detail = answer.kind === "no_file" ? answer.detail : undefined;
  return missing(fileComplaint(why, written, location, detail));
}

/** Why a file cannot be had. */
export function fileComplaint(
  why: FileFault,
  written: string,
  location: ReturnType<typeof locationOf>,
  detail?: string,
): ReturnType<typeof createDiagnostic> {
  const name = quoteString(written);
  switch (why) {
    case "absent":
      return createDiagnostic("E501", location, `there is no file ${name}`);
    case "outside":
      return outsideComplaint(location, written);
    case "not_text":
      return createDiagnostic(
        "E506",
        location,
        `the file ${name} is not UTF-8 text${detail ? `: ${detail}` : ""}`,
        { help: "save it as UTF-8" },
      );
    case "too_large":
      return createDiagnostic(
        "E406",
        location,
        `the file ${name} is larger than ${limits.string} bytes`,
      );
    case "unreadable":
      return createDiagnostic(
        "E507",
        location,
        `the file ${name} cannot be read${detail ? `: ${detail}` : ""}`,
      );
  }
}

function outsideComplaint(
  location: ReturnType<typeof locationOf>,
  written: string,
): ReturnType<typeof createDiagnostic> {
  return createDiagnostic(
    "E502",
    location,
    `${quoteString(written)} is outside the directory of the configuration`,
    { help: 'name the directory in `daemon { allow_paths = ["…"] }` to permit it' },
  );
}

export function textArgument(
  node: tree.ExpressionNode,
  what: string,
  context: EvaluationContext,
): string | NoValue {
  const value = evaluateKnown(node, `${what} is needed now`, context);
  if (value instanceof NoValue || typeof value === "string") return value;
  context.report(
    createDiagnostic(
      "E309",
      locationOf(node, context),
      `${what} is a string, not ${describeValue(value)}`,
    ),
  );
  return BROKEN;
}
