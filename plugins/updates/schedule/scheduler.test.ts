import test from "ava";
import { FakeClock } from "reeve/testing";
import type { AccountSettings } from "../blocks/settings.js";
import type { Configs } from "../store/configs.js";
import type { Config } from "../store/tables.js";
import { Scheduler } from "./scheduler.js";

const DAY = 86_400_000;
const START = Date.parse("2026-03-02T12:00:00Z");

const ACCOUNT = {
  updateRunTime: "06:00",
  weeklyUpdateRunDay: "monday",
  timeZone: "UTC",
} as unknown as AccountSettings;

/** A store of one daily config. */
function storeOf(config: Config) {
  const configs = {
    all: async () => [config],
    change: async (_id: number, change: Partial<Config>) => void Object.assign(config, change),
    nextDue: async () => config.next_run_at,
    due: async (now: number) => (config.next_run_at <= now ? [config] : []),
    takeSlots: async ([slot]: ReadonlyArray<{ id: number; to: number }>) => {
      Object.assign(config, { next_run_at: slot?.to });
      return new Set([config.id]);
    },
  };
  return configs as unknown as Configs;
}

test("a clock that is set back: configs run at their next time of the new day, not of the old one", async (t) => {
  const config = {
    id: 1,
    repo_id: 1,
    update_schedule: "daily",
    extras: "{}",
  } as unknown as Config;
  const clock = new FakeClock(START);
  const started: string[] = [];
  const warnings: string[] = [];
  const scheduler = new Scheduler({
    configs: storeOf(config),
    clock,
    log: { warn: (message: string) => warnings.push(message) } as never,
    settingsFor: async () => ACCOUNT,
    start: async (configs) => {
      if (configs.length > 0) started.push(new Date(clock.now()).toISOString());
    },
  });
  await scheduler.plan(config, ACCOUNT);
  const running = scheduler.begin();
  await clock.advance(DAY);
  t.is(started.length, 1);
  clock.set(START - 30 * DAY);
  await clock.advance(DAY);
  scheduler.stop();
  await running;
  t.is(started.length, 2);
  t.regex(started[1] ?? "", /^2026-02-01T/);
  t.regex(warnings.join(), /set back/);
});
