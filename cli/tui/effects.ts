/** What is done for somebody who agreed, and what the daemon says to it. */
import { errorMessage } from "../../daemon/errors.js";
import type { ReloadResult } from "../../daemon/http/control/api.js";
import type { TriggerOutcome } from "../../plugins/hooks/offline.js";
import type { Control } from "../control/client.js";
import { renderFindings } from "../control/findings.js";
import { ControlError, isConfigurationProblem } from "../control/problem.js";
import { explainedLines, isAccepted } from "../hooks/show.js";
import { Failure } from "../plugin-api/exit.js";
import { stateWord } from "../print/layout.js";
import { changesAnything, renderPlan } from "../print/plan.js";
import { shownPath } from "../project/files.js";
import type { AllowRequest } from "./allow/propose.js";
import { pendingOf } from "./model/source.js";
import { pendingLines } from "./screens/config.js";
import type { ActionProposal, Effect } from "./ui/ui.js";
import { plainTheme } from "./view/theme.js";

/** A short one is a notice, a long one is read on a page of its own. */
export type EffectResult =
  | { readonly kind: "notice"; readonly text: string; readonly bad: boolean }
  | {
      readonly kind: "page";
      readonly title: string;
      readonly text: string;
      readonly offer?: ActionProposal;
    };

type DaemonEffect = Exclude<Effect, { readonly kind: "quit" | "more" }>;

/** Never rejects: what goes wrong is an answer. */
export async function performEffect(control: Control, effect: DaemonEffect): Promise<EffectResult> {
  try {
    return await done(control, effect);
  } catch (thrown) {
    return refusal(thrown);
  }
}

async function done(control: Control, effect: DaemonEffect): Promise<EffectResult> {
  if (effect.kind === "plan") {
    const text = pendingLines(await pendingOf(control), plainTheme).join("\n");
    return { kind: "page", title: "What a reload would change", text };
  }
  if (effect.kind === "allow") return proposed(control, effect.wanted);
  if (effect.kind === "write") {
    const { write } = await import("./allow/propose.js");
    await write(effect.edit);
    return outcome(await control.reload());
  }
  if (effect.kind === "reload") return outcome(await control.reload());
  if (effect.kind === "rollback") return outcome(await control.rollback(effect.generation));
  if (effect.kind === "cancel") {
    await control.post("/v1/hooks/cancel", { run: effect.run });
    return { kind: "notice", text: `The run ${effect.run} is cancelled.`, bad: false };
  }
  if (effect.kind === "replay") {
    return replayed(await control.post<TriggerOutcome>("/v1/hooks/replay", { run: effect.run }));
  }
  const { plugin, kind } = effect;
  const { state, health, failure } = await (kind === "restart"
    ? control.restart(plugin)
    : control.release(plugin));
  const bad = state === "quarantined" || state === "backoff" || health.state === "failed";
  const why = bad ? (health.reason ?? failure?.reason) : undefined;
  const text = `${plugin} is ${stateWord(state)}${why === undefined ? "" : `: ${why}`}`;
  return { kind: "notice", text, bad };
}

/** The pipeline is loaded only by those who want to change something. */
async function proposed(control: Control, wanted: AllowRequest): Promise<EffectResult> {
  const { proposeAllow } = await import("./allow/propose.js");
  const { root } = await control.status();
  const { edit, text } = await proposeAllow(root, wanted);
  const title = `Allow ${wanted.domain} in sandbox ${wanted.sandbox}?`;
  const question = `Write ${shownPath(edit.path)}, and take it over?`;
  return { kind: "page", title, text, offer: { question, effect: { kind: "write", edit } } };
}

function replayed(outcome: TriggerOutcome): EffectResult {
  if (isAccepted(outcome)) {
    return { kind: "notice", text: `The run ${outcome.run} has begun.`, bad: false };
  }
  const text = explainedLines(outcome, plainTheme).join("\n");
  return { kind: "page", title: "The hook refuses this request now.", text };
}

function outcome({ generation, ...findings }: ReloadResult): EffectResult {
  const { number, state, plan, reason } = generation;
  const failed = state === "rejected" || state === "rolled_back";
  if (state === "unchanged") {
    return { kind: "notice", text: "Nothing changed: what is on disk runs already.", bad: false };
  }
  const said = failed
    ? `Generation ${number} was ${stateWord(state)}${reason === undefined ? "" : `: ${reason}`}`
    : `Generation ${number} runs${state === "probation" ? ", on probation" : ""}.`;
  const found =
    findings.diagnostics.length === 0 ? "" : `${renderFindings(findings, { colour: false })}\n`;
  const change = plan && changesAnything(plan) ? renderPlan(plan, plainTheme) : "";
  if (found + change === "") return { kind: "notice", text: said, bad: failed };
  return { kind: "page", title: said, text: found + change };
}

function refusal(thrown: unknown): EffectResult {
  if (thrown instanceof ControlError && isConfigurationProblem(thrown.problem)) {
    const text = renderFindings(thrown.problem, { colour: false });
    return { kind: "page", title: "The configuration was refused; what ran before runs on.", text };
  }
  const help = thrown instanceof Failure && thrown.help !== undefined ? ` ${thrown.help}` : "";
  return { kind: "notice", text: `${errorMessage(thrown)}${help}`, bad: true };
}
