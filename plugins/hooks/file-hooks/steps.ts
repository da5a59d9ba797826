/** The checks of a file's hook as steps for the operator. */
import { type FileContext, type FileDecision, matchContext } from "../compat/decide.js";
import type { FileHook } from "../compat/hook.js";
import { explainRule } from "../compat/rules/explain.js";
import { secretsIn } from "../compat/secrets.js";
import type { DecisionStep } from "../evidence/api.js";
import { Redactor } from "../evidence/redactor.js";
import { shellQuoted } from "../evidence/steps.js";
import { shownTree } from "../evidence/tree.js";

/** Keeps what the existing server would write to its log. */
export interface NotedContext extends FileContext {
  readonly notes: readonly string[];
}

/** Hides the headers whose signatures the rules verify. */
export function fileRedactor(hook: FileHook, secrets: readonly string[] = []): Redactor {
  const { rule } = hook;
  const names = new Set<string>();
  const visit = (node: NonNullable<FileHook["rule"]>): void => {
    if (node.kind === "not") visit(node.rule);
    else if (node.kind === "and" || node.kind === "or") node.rules.forEach(visit);
    else if (node.kind === "match" && node.match.type.startsWith("payload-h")) {
      names.add(node.match.parameter.name.toLowerCase());
    }
  };
  if (rule) visit(rule);
  return new Redactor(names, [...secrets, ...secretsIn(hook)]);
}

export function fileSteps(
  hook: FileHook,
  decision: FileDecision,
  context: NotedContext,
  hidden: Redactor,
): readonly DecisionStep[] {
  const faults = decision.kind === "run" ? faultSteps(decision, context) : [];
  const { request } = decision;
  if (!request) {
    const { reason, message } = decision as Extract<FileDecision, { kind: "refuse" }>;
    const what = reason === "method" ? "method" : "body";
    return [{ what, holds: false, says: message || "this hook does not accept that method" }];
  }
  const steps: DecisionStep[] = [{ what: "method", holds: true, says: request.method }];
  if (context.isTrusted) {
    const says = "started through the control socket, without verification";
    steps.push({ what: "sender", holds: true, says });
  }
  const size = `${request.body.length} bytes`;
  const says = request.payload === undefined ? size : `${size}, decoded as the payload`;
  steps.push({ what: "body", holds: true, says });
  if (hook.rule) {
    const whole = explainRule(hook.rule, request, matchContext(hook, context), secretsIn(hook));
    const tree = shownTree(whole, hidden);
    steps.push({
      what: "rule",
      holds: decision.kind === "run",
      says: `it is ${tree.outcome}`,
      tree,
    });
  } else
    steps.push({ what: "rule", holds: true, says: "there is none: every request is accepted" });
  if (decision.kind === "run") {
    const line = hidden.text(decision.command.argv.map(shellQuoted).join(" "));
    steps.push({ what: "command", holds: true, says: line });
  }
  return [...steps, ...faults.map((step) => ({ ...step, says: hidden.text(step.says) }))];
}

/** What a request lacks that runs its hook all the same: a body that is not decoded, missing values. */
export function faultSteps(
  { command, request }: Extract<FileDecision, { kind: "run" }>,
  { notes }: Pick<NotedContext, "notes">,
): readonly DecisionStep[] {
  const isEmpty = request.body.length === 0;
  const unread = notes.filter((line) => !isEmpty && line.startsWith("error parsing"));
  const missing = command.notes.map(([line]) => line).filter((line) => line.startsWith("error"));
  return [
    ...unread.map((says) => ({ what: "body", holds: false, says }) as const),
    ...missing.map((says) => ({ what: "command", holds: false, says }) as const),
  ];
}
