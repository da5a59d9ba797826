/** Two lives of a plugin that several checks look at: one that is only used, one with an edit. */
import type { Panel } from "../../plugin-api/panel.js";
import type { Health } from "../../plugin-api/plugin.js";
import type { Reloaded } from "../plugin-under-test.js";
import type { Trial } from "./trial.js";

interface Look {
  /** Its panels before and after it was used. */
  readonly unused: readonly Panel[];
  readonly used: readonly Panel[];
  readonly health: Health | undefined;
  readonly observed: unknown;
  /** What became of the configuration that it is to refuse. */
  readonly refusal: Reloaded | undefined;
}

interface Edit {
  readonly before: unknown;
  readonly reload: Reloaded;
  readonly after: unknown;
  /** State of the other blocks, before and after. */
  readonly kept: unknown;
  readonly keeps: unknown;
  /** Everything that people see, by where. */
  readonly shown: Readonly<Record<string, unknown>>;
}

/** A starting plugin is most of a check's time: one start is enough for those that do not act on it. */
function once<Result>(live: (trial: Trial) => Promise<Result>): (trial: Trial) => Promise<Result> {
  const lives = new WeakMap<Trial, Promise<Result>>();
  return (trial) => {
    const life = lives.get(trial) ?? live(trial);
    lives.set(trial, life);
    return life;
  };
}

export const lookAt = once((trial): Promise<Look> => {
  const { observe, refused } = trial.options;
  return trial.with(async (plugin) => {
    const [unused, health] = [await plugin.panels(), await plugin.health()];
    const observed = await observe(plugin);
    const used = await plugin.panels();
    const refusal = refused === undefined ? undefined : await plugin.reload(refused);
    return { unused, used, health, observed, refusal };
  });
});

export const editOf = once((trial): Promise<Edit> => {
  const { observe, keeps: keptBy, edited } = trial.options;
  return trial.with(async (plugin) => {
    const before = await observe(plugin);
    const panels = await plugin.panels();
    const kept = await keptBy?.(plugin);
    const reload = await plugin.reload(edited);
    const keeps = await keptBy?.(plugin);
    const after = await observe(plugin);
    const shown = {
      log: plugin.log,
      events: plugin.events,
      panels: [panels, await plugin.panels()],
      runs: await plugin.runs(),
      metrics: await plugin.metrics(),
      health: [await plugin.health(), plugin.status],
      diagnostics: reload.text,
      plan: reload.plan,
    };
    return { before, reload, after, kept, keeps, shown };
  });
});
