/** The names in a block's header. */

import type * as tree from "../../../grammar/tree.js";
import type { BlockDescriptor, LabelDescriptor } from "../../plugin-api/descriptor.js";
import { createDiagnostic, locationIn, type ReportDiagnostic } from "../diagnose.js";
import type { Dependencies } from "../evaluate/dependencies.js";
import type { EvaluationRun } from "../evaluate/evaluation-run.js";
import { evaluateKnown } from "../evaluate/strict.js";
import type { BlockSite } from "../expand/site.js";
import { describeDescriptor } from "../types/describe.js";
import type { Translator } from "./translate.js";
import { mismatchOf } from "./type-mismatch.js";

/** The labels as text; `undefined` where one cannot be worked out (yet). */
export function evaluateLabels(
  site: BlockSite,
  world: EvaluationRun,
  report: ReportDiagnostic,
  uses: Dependencies,
): readonly string[] | undefined {
  const labels: string[] = [];
  const context = { world, scope: site.scope, uses, report };
  for (const node of site.node.labels) {
    const label = evaluateKnown(node, "the name of a block is needed now", context);
    if (typeof label !== "string") return undefined;
    labels.push(label);
  }
  return labels;
}

/** The labels of a block, checked against its description. */
export function labelsOf(
  site: BlockSite,
  descriptor: BlockDescriptor,
  world: EvaluationRun,
  translator: Translator,
  report: ReportDiagnostic,
  uses: Dependencies,
): readonly string[] | undefined {
  const labels = evaluateLabels(site, world, report, uses);
  return labels && checkLabels(labels, site, descriptor, translator, report) ? labels : undefined;
}

export function checkLabels(
  labels: readonly string[],
  site: BlockSite,
  descriptor: BlockDescriptor,
  translator: Translator,
  report: ReportDiagnostic,
): boolean {
  const kind = site.node.type.map((name) => name.text).join(".");
  const file = site.scope.unit.name;
  const extra = site.node.labels[descriptor.labels.length];
  if (extra) {
    const most = ["no name", "one name", "two names"][descriptor.labels.length];
    report(createDiagnostic("E106", locationIn(file, extra), `a block \`${kind}\` takes ${most}`));
    return false;
  }
  let right = true;
  for (const [index, label] of descriptor.labels.entries()) {
    const node = site.node.labels[index];
    const text = labels[index];
    if (node === undefined || text === undefined) {
      if (!label.required) continue;
      report(absentLabel(kind, label, site));
      right = false;
    } else if (!checkLabel(kind, text, node, label, translator, file, report)) right = false;
  }
  return right;
}

function absentLabel(kind: string, label: LabelDescriptor, site: BlockSite) {
  const last = site.node.labels.at(-1) ?? site.node.type.at(-1) ?? site.node.type[0];
  const location = locationIn(site.scope.unit.name, {
    start: site.node.type[0].start,
    end: last.end,
  });
  const example = label.type.type === "enum" ? String(label.type.values[0]) : "NAME";
  return createDiagnostic("E106", location, `a block \`${kind}\` needs a name`, {
    label: `write \`${kind} "${example}"\``,
    help: label.doc,
  });
}

function checkLabel(
  kind: string,
  text: string,
  node: tree.Span,
  label: LabelDescriptor,
  translator: Translator,
  file: string,
  report: ReportDiagnostic,
): boolean {
  const checked = translator.schema(label.type).safeParse(text);
  if (checked.success) return true;
  const mismatch = checked.error.issues.map(mismatchOf).find((each) => each !== undefined);
  const wrong = mismatch?.complaint ?? `must be ${describeDescriptor(label.type)}`;
  const location = locationIn(file, node);
  report(
    createDiagnostic("E106", location, `the name of a block \`${kind}\` ${wrong}`, {
      label: mismatch?.label ?? (mismatch?.replacement && `write \`${mismatch.replacement}\``),
      fix:
        mismatch?.replacement === undefined
          ? undefined
          : {
              title: `write \`${mismatch.replacement}\``,
              edits: [{ ...location, text: mismatch.replacement }],
            },
      help: /\$\w/.test(text) ? "a value in a string is written `${let.name}`" : undefined,
    }),
  );
  return false;
}
