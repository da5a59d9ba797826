/** Performs what the user has confirmed, and says how it went. */
import { errorMessage } from "../../daemon/errors.js";
import type { ReloadResult } from "../../daemon/http/control/api.js";
import type { ListAddition } from "../../grammar/editing/list-entry.js";
import type { Control } from "../control/client.js";
import { renderFindings } from "../control/findings.js";
import { ControlError, isConfigurationProblem } from "../control/problem.js";
import { Failure } from "../plugin-api/exit.js";
import type { Effect, EffectResult, Screen } from "../plugin-api/screen.js";
import { stateWord } from "../print/layout.js";
import { changesAnything, renderPlan } from "../print/plan.js";
import { shownPath } from "../project/files.js";
import { pendingOf } from "./model/source.js";
import { pendingLines } from "./screens/config.js";
import { plainTheme } from "./view/theme.js";

type DaemonEffect = Exclude<Effect, { readonly kind: "quit" | "more" | "theme" | "copy" }>;

/** Runs something that has the terminal for itself, and resolves when the dashboard has it again. */
export type Outside = (task: () => Promise<void>) => Promise<void>;

/** Never rejects: a failure is a result. */
export async function performEffect(
  control: Control,
  screen: Screen,
  effect: DaemonEffect,
  outside: Outside,
): Promise<EffectResult> {
  try {
    return await perform(control, screen, effect, outside);
  } catch (thrown) {
    return refusal(thrown);
  }
}

async function perform(
  control: Control,
  screen: Screen,
  effect: DaemonEffect,
  outside: Outside,
): Promise<EffectResult> {
  switch (effect.kind) {
    case "plan": {
      const text = pendingLines(await pendingOf(control), plainTheme).join("\n");
      return { kind: "page", title: "What a reload would change", text };
    }
    case "add":
      return proposeEdit(control, effect.addition);
    case "write": {
      const { write } = await import("./edit/propose.js");
      await write(effect.edit);
      return reloaded(await control.reload());
    }
    case "edit": {
      const { blockPosition, runEditor } = await import("./edit/editor.js");
      const { root } = await control.status();
      const position = await blockPosition(root, effect.block);
      await outside(() => runEditor(position));
      return reloaded(await control.reload());
    }
    case "reload":
      return reloaded(await control.reload());
    case "rollback":
      return reloaded(await control.rollback(effect.generation));
    case "screen": {
      const done = screen.perform?.(
        control.forPlugin(screen.plugin ?? screen.id),
        effect.action,
        effect.target,
      );
      return (await done) ?? { kind: "notice", text: "Nothing was done.", bad: true };
    }
    default:
      return restarted(control, effect);
  }
}

async function restarted(
  control: Control,
  { plugin, kind }: Extract<Effect, { readonly plugin: string }>,
): Promise<EffectResult> {
  const { state, health, failure } = await control[kind](plugin);
  const bad = state === "quarantined" || state === "backoff" || health.state === "failed";
  const why = bad ? (health.reason ?? failure?.reason) : undefined;
  const text = `${plugin} is ${stateWord(state)}${why === undefined ? "" : `: ${why}`}`;
  return { kind: "notice", text, bad };
}

/** Loads the pipeline only here: most sessions change nothing. */
async function proposeEdit(control: Control, addition: ListAddition): Promise<EffectResult> {
  const { proposeAddition } = await import("./edit/propose.js");
  const { root } = await control.status();
  const { edit, text } = await proposeAddition(root, addition);
  const { block, label, attribute, entry } = addition;
  const title = `Add ${entry} to ${attribute} of ${block} ${label}?`;
  const question = `Write ${shownPath(edit.path)} and reload?`;
  return { kind: "page", title, text, offer: { question, effect: { kind: "write", edit } } };
}

function reloaded({ generation, ...findings }: ReloadResult): EffectResult {
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
