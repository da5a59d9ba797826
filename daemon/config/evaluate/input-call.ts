/** `env(…)` and `file(…)`: inputs, asked for by name. */
import { dirname, resolve } from "node:path";
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic } from "../diagnose.js";
import type { FileFault } from "../inputs.js";
import { limits } from "../limits.js";
import { isBelow } from "../paths.js";
import { describeValue } from "../types/describe.js";
import { quote } from "../values/render.js";
import { type Context, placeOf } from "./evaluation-run.js";
import { BROKEN, missing, NoValue, type Outcome, PENDING } from "./outcome.js";
import { evaluateKnown } from "./strict.js";

/** `env(name, default = …)`. */
export function readEnvironment(
  node: tree.Call,
  nameNode: tree.Expression,
  otherwise: tree.Expression | undefined,
  context: Context,
): Outcome {
  const name = textArgument(nameNode, "the name of an environment variable", context);
  if (name instanceof NoValue) return name;
  const answer = context.world.ask({ kind: "environment", name }, context);
  if (!answer) return PENDING;
  if (answer.kind === "environment" && answer.value !== undefined) return answer.value;
  if (otherwise) return context.world.evaluate(otherwise, context);
  return missing(
    createDiagnostic(
      "E503",
      placeOf(node, context),
      `the environment variable \`${name}\` is not set`,
      {
        help: `say what to use then: \`env(${quote(name)}, default = "…")\``,
      },
    ),
  );
}

/** `file(path)`, relative to the file it is written in. */
export function readFile(pathNode: tree.Expression, context: Context): Outcome {
  const written = textArgument(pathNode, "the path of a file", context);
  if (written instanceof NoValue) return written;
  const { world, scope } = context;
  const path = resolve(dirname(scope.unit.path), written);
  const place = placeOf(pathNode, context);
  if (!world.roots.some((root) => isBelow(path, root))) {
    context.report(outsideComplaint(place, written));
    return BROKEN;
  }
  const answer = world.ask({ kind: "file", path, within: world.roots }, context);
  if (!answer) return PENDING;
  if (answer.kind === "file") return answer.text;
  const why = answer.kind === "no_file" ? answer.why : "unreadable";
  const detail = answer.kind === "no_file" ? answer.detail : undefined;
  return missing(fileComplaint(why, written, place, detail));
}

/** Why a file cannot be had. */
export function fileComplaint(
  why: FileFault,
  written: string,
  place: ReturnType<typeof placeOf>,
  detail?: string,
): ReturnType<typeof createDiagnostic> {
  const name = quote(written);
  switch (why) {
    case "absent":
      return createDiagnostic("E501", place, `there is no file ${name}`);
    case "outside":
      return outsideComplaint(place, written);
    case "not_text":
      return createDiagnostic("E506", place, `the file ${name} is not UTF-8 text`);
    case "too_large":
      return createDiagnostic(
        "E406",
        place,
        `the file ${name} is larger than ${limits.string} bytes`,
      );
    case "unreadable":
      return createDiagnostic(
        "E507",
        place,
        `the file ${name} cannot be read${detail ? `: ${detail}` : ""}`,
      );
  }
}

function outsideComplaint(
  place: ReturnType<typeof placeOf>,
  written: string,
): ReturnType<typeof createDiagnostic> {
  return createDiagnostic(
    "E502",
    place,
    `${quote(written)} is outside the directory of the configuration`,
    { help: 'name the directory in `daemon { allow_paths = ["…"] }` to permit it' },
  );
}

export function textArgument(
  node: tree.Expression,
  what: string,
  context: Context,
): string | NoValue {
  const value = evaluateKnown(node, `${what} is needed now`, context);
  if (value instanceof NoValue || typeof value === "string") return value;
  context.report(
    createDiagnostic(
      "E309",
      placeOf(node, context),
      `${what} is a string, not ${describeValue(value)}`,
    ),
  );
  return BROKEN;
}
