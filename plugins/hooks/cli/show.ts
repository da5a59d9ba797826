/** `reeve hook show`: a hook with its rejections, or a run with its evidence. */
import {
  type Call,
  type Channel,
  conditionLines,
  controlExits,
  controlOptions,
  defineCommand,
  duration,
  Exit,
  oneLine,
  type Pair,
  paintedState,
  showOutput,
  showRun,
  when,
  writePairs,
} from "reeve/cli";
import type { HookDetail, Rejection, RunTrigger } from "../offline.js";
import { findHook, hookOrRunArgument, looksLikeRun } from "./requests.js";
import { evidenceLines, stepLines } from "./text.js";

export const command = defineCommand({
  description:
    "A hook: its limits, how it did, and the latest requests that it refused, each with the reason. A run: its request, the " +
    "decision as a tree with the values that were looked at, what the command was given, how long everything took, and what it " +
    "printed. Secrets, signatures, tokens and cookies are `(secret)`. With --json: the `HookDetail`, or the `RunRecord`, of the control API.",
  arguments: [{ ...hookOrRunArgument, required: true }],
  options: controlOptions,
  examples: [
    { command: "reeve hook show deploy", does: "one hook, and why callers were refused" },
    { command: "reeve hook show 01m80b23e60000vmn35q", does: "one run from close" },
  ],
  exits: { [Exit.findings]: "there is no such hook or run", ...controlExits },
  async run(call) {
    const [what = ""] = call.arguments;
    if (looksLikeRun(what)) await showOne(what, call);
    else await showHook(what, call);
    return Exit.ok;
  },
});

type ShowCall = Call<typeof controlOptions>;

async function showOne(id: string, { options, output, control }: ShowCall): Promise<void> {
  const run = await control.run(id);
  if (options.json) return output.json(run);
  showRun(output.out, run, Date.now());
  const trigger = run.request as RunTrigger | undefined;
  if (trigger?.request !== undefined) {
    for (const line of evidenceLines(trigger, output.out)) output.out.line(line);
  }
  showOutput(output.out, run);
}

async function showHook(name: string, { options, output, control }: ShowCall): Promise<void> {
  const found = await findHook(control, name);
  const hook = await control.get<HookDetail>("/hook", { name: found.name });
  if (options.json) return output.json(hook);
  const { out } = output;
  const now = Date.now();
  out.line(`${out.paint("bold", oneLine(hook.name))}  ${oneLine(hook.url)}`);
  if (hook.doc !== undefined) out.line(`  ${oneLine(hook.doc)}`);
  writePairs(out, pairsOf(hook, out, now), "  ");
  const status = await control.status();
  for (const line of conditionLines(status, hook.subject)) out.line(`  ${line}`);
  if (hook.rejections.length === 0) return;
  out.line(out.paint("bold", "Refused, newest first"));
  for (const rejection of hook.rejections) {
    for (const line of rejectionLines(rejection, out, now)) out.line(line);
  }
}

function pairsOf(hook: HookDetail, channel: Channel, now: number): readonly Pair[] {
  const { calls, rejected, failures, running, waiting, p50, p95, p99, lastRun, limits } = hook;
  return [
    ["answers to", hook.methods.length === 0 ? "every method" : hook.methods.join(", ")],
    ["path shared by", hook.sharedBy && `${hook.sharedBy.join(", ")} (tried in this order)`],
    ["senders", hook.verified ? "need a valid signature or credential" : "need no proof"],
    ["calls", `${calls} accepted, ${rejected} refused, ${failures} failed`],
    [
      "took",
      p50 === undefined
        ? undefined
        : `p50 ${duration(p50)}, p95 ${duration(p95 ?? p50)}, p99 ${duration(p99 ?? p50)}`,
    ],
    [
      "now",
      `${running} of ${limits.concurrency} running, ${waiting} of ${limits.queue} waiting, each ${duration(limits.timeout)} at most`,
    ],
    ["last run", lastRun && `${paintedState(channel, lastRun.state)} ${when(lastRun.at, now)}`],
  ];
}

function rejectionLines(rejection: Rejection, channel: Channel, now: number): readonly string[] {
  const { at, trigger, status, detail, decision } = rejection;
  const failed = decision?.filter(({ holds }) => !holds) ?? [];
  return [
    `  ${channel.paint("dim", when(at, now))}  ${status}  ${oneLine(trigger)}`,
    `    ${oneLine(detail)}`,
    ...stepLines(failed, channel).map((line) => `    ${line}`),
  ];
}
