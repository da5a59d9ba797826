/** An invocation from its trigger to its record, and back after the daemon's death. */
import test from "ava";
import type { LeftRun, RunRecord } from "reeve/plugin";
import type { HookCommand } from "../../plugins/hooks/decide/command.js";
import { decide } from "../../plugins/hooks/decide/decide.js";
import {
  type Invocation,
  newInvocation,
  resumedInvocation,
  resumedState,
  startedAttempts,
} from "../../plugins/hooks/runs/invocation.js";
import { serializeResume } from "../../plugins/hooks/runs/resume-state.js";
import { request } from "../../plugins/hooks/testing/request.js";
import { hookOf } from "./hook-of.js";

async function invocationOf(body: string): Promise<Invocation> {
  const hook = await hookOf(body);
  const decision = decide(request({}), hook);
  if (decision.kind !== "run") throw new Error(decision.refusal.detail);
  return newInvocation(hook, decision.command, "POST /hooks/x", { detail: { slot: "one" } });
}

/** The run of an invocation as the next daemon finds it. */
function left({ command, trigger, detail, tried }: Invocation, state: RunRecord["state"]): LeftRun {
  const resume: unknown = JSON.parse(JSON.stringify(serializeResume(command, tried)));
  const record = { id: "r", state, trigger, detail } as unknown as RunRecord;
  return { record, resume };
}

test("a resumed invocation has the command, the trigger and the detail of the accepted one", async (t) => {
  const accepted = await invocationOf('run = ["x", "one"]');
  const resumed = resumedInvocation(accepted.block, left(accepted, "queued"));
  if (typeof resumed === "string") return t.fail(resumed);
  const { command, ...rest } = resumed;
  t.deepEqual(rest, {
    block: accepted.block,
    trigger: "POST /hooks/x",
    evidence: undefined,
    detail: { argv: ["x", "one"], slot: "one" },
    tried: 0,
    isResumed: true,
    listen: undefined,
  });
  t.deepEqual(Object.keys(command).toSorted(), Object.keys(accepted.command).toSorted());
  t.deepEqual(command.argv, accepted.command.argv);
});

test("each death during an attempt counts it, also one right after the resumption", async (t) => {
  const accepted = await invocationOf('run = ["x"]');
  let found = left(accepted, "interrupted");
  for (const count of [1, 2, 3]) {
    t.is(startedAttempts(found), count);
    const waits: LeftRun = {
      record: { ...found.record, state: "queued" },
      resume: resumedState(found, false),
    };
    t.is(startedAttempts(waits), count, "it dies before the next attempt");
    found = { ...waits, record: { ...waits.record, state: "interrupted" } };
  }
});

test("the compiler refuses a field that is forgotten or misspelt", async (t) => {
  const { tried, ...rest } = await invocationOf('run = ["x"]');
  // @ts-expect-error: `tried` is missing.
  const forgotten: Invocation = { ...rest };
  // @ts-expect-error: `state` is not a field.
  const misspelt: Invocation = { ...rest, tried, state: 1 };
  const { scope: _scope, ...command } = rest.command;
  // @ts-expect-error: `scope` is missing.
  const part: HookCommand = { ...command };
  t.false("tried" in forgotten);
  t.true("state" in misspelt);
  t.false("scope" in part);
});
