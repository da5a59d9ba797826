/** Records of planned times that became no command, with their events and counts. Each returns the id of its record. */
import type { PluginContext } from "reeve/plugin";
import type { ScheduleBlock } from "../blocks/blocks.js";
import { detailText } from "../decide/refusal.js";
import type { Chain } from "../runs/chain.js";
import type { ScheduleMetrics } from "../telemetry/metrics.js";
import { recordUnstarted, type UnstartedRun } from "../triggers/start.js";

interface Counts {
  readonly block: ScheduleBlock;
  missed: number;
  skipped: number;
}

export class SlotRecords {
  readonly #context: Pick<PluginContext, "runs" | "events" | "log">;
  readonly #metrics: ScheduleMetrics;
  readonly #chain: Chain;

  constructor(
    context: Pick<PluginContext, "runs" | "events" | "log">,
    metrics: ScheduleMetrics,
    chain: Chain,
  ) {
    this.#context = context;
    this.#metrics = metrics;
    this.#chain = chain;
  }

  /** `latest`: the last of the missed times, in milliseconds since the epoch. */
  async missed(entry: Counts, count: number, latest: number): Promise<string> {
    const slot = new Date(latest).toISOString();
    const { block } = entry;
    entry.missed += count;
    this.#metrics.missed.add(count, labelOf(block));
    const what = count === 1 ? "One run was missed" : `${count} runs were missed`;
    const run = await this.#record(block, {
      detail: { missed: count, until: slot },
      end: {
        state: "missed",
        reason: `${what}: the daemon was not running, or the host's clock was set forward.`,
      },
    });
    this.#context.events.emit("schedule.missed", { schedule: block.label, count, slot });
    this.#context.log.warn("A schedule missed runs", { schedule: block.label, count, slot });
    return run;
  }

  async skipped(entry: Counts, slot: string): Promise<string> {
    const { block } = entry;
    entry.skipped += 1;
    this.#metrics.skipped.add(1, labelOf(block));
    const run = await this.#record(block, {
      detail: { slot, skipped: true },
      end: { state: "skipped", reason: "Skipped: the previous run has not ended." },
    });
    this.#context.events.emit("schedule.skipped", { schedule: block.label, slot });
    return run;
  }

  notStarted({ block }: Counts, slot: string, reason: string | (() => string)): Promise<string> {
    const end = { state: "failed", reason: detailText(reason) } as const;
    return this.#record(block, { detail: { slot }, end });
  }

  #record(block: ScheduleBlock, run: Omit<UnstartedRun, "trigger">): Promise<string> {
    return recordUnstarted(this.#context, this.#chain, block, { trigger: "schedule", ...run });
  }
}

export const labelOf = ({ label = "" }: ScheduleBlock) => ({ schedule: label });
