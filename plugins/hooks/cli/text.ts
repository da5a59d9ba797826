/** Requests and decisions as people read them. */
import { duration, manyLines, oneLine, size } from "reeve/cli";
import type {
  DecisionStep,
  HookExplanation,
  RunTrigger,
  StoredRequest,
  TriggerOutcome,
} from "../offline.js";

interface Paint {
  readonly paint: (style: "bold" | "accent" | "dim" | "ok" | "fail", text: string) => string;
}
type Tree = NonNullable<DecisionStep["tree"]>;

/** Steps in their order, each with its tree below it. */
export function stepLines(steps: readonly DecisionStep[], channel: Paint): readonly string[] {
  return steps.flatMap(({ what, holds, says, tree }) => [
    `${mark(holds, channel)} ${what.padEnd(7)}  ${oneLine(says)}`,
    ...(tree ? treeLines(tree, channel, "    ") : []),
  ]);
}

const mark = (holds: boolean, { paint }: Paint): string =>
  holds ? paint("ok", "yes") : paint("fail", "no ");

/** One node a line: its text, and what it came to. */
function treeLines({ text, outcome, parts }: Tree, channel: Paint, indent: string): string[] {
  const isTruth = outcome === "true" || outcome === "false";
  const style = outcome === "true" ? "ok" : isTruth ? "fail" : "accent";
  return [
    `${indent}${oneLine(text)}  ${channel.paint("dim", "is")} ${channel.paint(style, oneLine(outcome))}`,
    ...parts.flatMap((part) => treeLines(part, channel, `${indent}  `)),
  ];
}

function requestLines(request: StoredRequest, channel: Paint): readonly string[] {
  const { method, path, query, headers, remoteIp, body } = request;
  const from = remoteIp === undefined ? "a local socket" : oneLine(remoteIp);
  const parameters = Object.entries(path ?? {}).map(([name, value]) => `${name}=${value}`);
  const lines: string[] = [];
  for (let index = 0; index + 1 < headers.length; index += 2) {
    const [name = "", value = ""] = headers.slice(index, index + 2);
    lines.push(`  ${channel.paint("dim", `${oneLine(name)}:`)} ${oneLine(value)}`);
  }
  return [
    `${oneLine(method)}${query === "" ? "" : ` ?${oneLine(query)}`} from ${from}`,
    ...(parameters.length === 0 ? [] : [`  path ${oneLine(parameters.join(", "))}`]),
    ...lines,
    ...bodyLines(body, channel),
  ];
}

function bodyLines(body: StoredRequest["body"], channel: Paint): readonly string[] {
  if (body.bytes === 0) return [];
  const { bytes, text, cut } = body;
  const kept = cut ? ", only its beginning was kept" : "";
  const head = channel.paint("dim", `  body (${size(bytes)}${kept})`);
  if (text === undefined) return [head, "  it is not text"];
  return [
    head,
    ...manyLines(pretty(text))
      .trimEnd()
      .split("\n")
      .map((line) => `  ${line}`),
  ];
}

/** JSON on many lines, if it is some. */
function pretty(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2);
  } catch {
    return text;
  }
}

/** What led to a run: request, decision, command, times. */
export function evidenceLines(trigger: RunTrigger, channel: Paint): readonly string[] {
  const { request, decision, command, timings, byHand, replayOf } = trigger;
  const title = (text: string): string => channel.paint("bold", text);
  const env = Object.entries(command.env);
  const marked =
    replayOf === undefined ? (byHand ? " (by hand)" : "") : ` (replay of ${oneLine(replayOf)})`;
  return [
    title(`Request${marked}`),
    ...requestLines(request, channel).map((line) => `  ${line}`),
    title("Decision"),
    ...stepLines(decision, channel).map((line) => `  ${line}`),
    ...(byHand
      ? []
      : [
          title("Times"),
          `  body read after ${duration(timings.read)}, decided after ${duration(timings.decided)}`,
        ]),
    ...(env.length === 0 && command.stdin === 0 ? [] : [title("Given to the command")]),
    ...env.map(([name, value]) => `  ${oneLine(name)}=${oneLine(value)}`),
    ...(command.stdin === 0 ? [] : [`  ${size(command.stdin)} of input`]),
  ];
}

/** Where the daemon or the configuration has decided: the steps, and what comes of them. */
export function explainedLines(explained: HookExplanation, channel: Paint): readonly string[] {
  return [...stepLines(explained.decision, channel), endOf(explained, channel)];
}

function endOf({ argv, refusal, takenBy }: HookExplanation, { paint }: Paint): string {
  if (takenBy !== undefined) {
    return `${paint("fail", "does not run")}: \`${oneLine(takenBy)}\` runs instead`;
  }
  return refusal
    ? `${paint("fail", "refused")} with ${refusal.status} (${oneLine(refusal.reason)}): ${oneLine(refusal.detail)}`
    : `${paint("ok", "runs")} ${oneLine((argv ?? []).join(" "))}`;
}

export const isAccepted = (
  outcome: TriggerOutcome,
): outcome is Extract<TriggerOutcome, { outcome: "accepted" }> => outcome.outcome === "accepted";
