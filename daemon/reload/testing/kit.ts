/** What the daemon's rooms share, in memory; the records are kept by the test, so that a daemon can be started again. */
import type { ServiceKit } from "../../services/contract.js";
import { Heard, type Line, realClock, recordingLog } from "./directory.js";

export type Kept = Map<string, string>;

export function memoryKit(kept: Kept) {
  const lines: Line[] = [];
  const events = new Heard<{ readonly type: string; readonly data: Record<string, unknown> }>();
  const metrics = new Map<string, number>();
  const settings: string[] = [];
  const name = (prefix: string, own: string, labels: Readonly<Record<string, string>> = {}) =>
    [`reeve_${prefix}_${own}`, ...Object.values(labels)].join(" ");
  const kit = {
    log: recordingLog(lines),
    clock: realClock,
    events: {
      emit: (type: string, data = {}) => events.add({ type, data }),
    },
    metrics: {
      scoped: (prefix: string) => ({
        counter: (own: string) => ({
          add: (amount = 1, labels = {}) => {
            const key = name(prefix, own, labels);
            metrics.set(key, (metrics.get(key) ?? 0) + amount);
          },
        }),
        gauge: (own: string) => ({
          set: (value: number, labels = {}) => metrics.set(name(prefix, own, labels), value),
          remove: () => undefined,
        }),
        histogram: () => ({ observe: () => undefined }),
      }),
    },
    records: () => ({
      get: async (key: string) => JSON.parse(kept.get(key) ?? "null") ?? undefined,
      set: async (key: string, value: unknown) => void kept.set(key, JSON.stringify(value)),
      delete: async (key: string) => void kept.delete(key),
      list: async ({ limit = Number.POSITIVE_INFINITY }: { limit?: number } = {}) =>
        [...kept]
          .sort(([a], [b]) => (a < b ? 1 : -1))
          .slice(0, limit)
          .map(([key, value]) => ({ key, value: JSON.parse(value) })),
    }),
    setLogLevel: (level: string) => settings.push(level),
    setRunLimits: () => undefined,
  };
  return { kit: kit as unknown as ServiceKit, lines, events, metrics, settings };
}
