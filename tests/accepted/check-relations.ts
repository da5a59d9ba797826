/** Repeated deliveries, tasks after their runs, and times of the schedule. */
import { WITHIN } from "./configuration.js";
import {
  type Evidence,
  isEnded,
  type ListedRun,
  nameOf,
  notesOf,
  type SentRequest,
  type Violation,
} from "./evidence.js";

export const checkRelations = (evidence: Evidence): readonly Violation[] => [
  ...deliveries(evidence),
  ...chains(evidence),
  ...ticks(evidence),
];

const MAY_COME_AGAIN: readonly (string | undefined)[] = ["failed", "cancelled", "interrupted"];

function deliveries({ sent, records, wasFull }: Evidence): readonly Violation[] {
  const deduped = sent.filter(({ hook }) => hook === "deduped");
  return [...Map.groupBy(deduped, ({ key }) => key).values()].flatMap((same) =>
    same.flatMap((delivery, index) => {
      const earlier = same.slice(0, index);
      if (delivery.status === 200) return repetition(delivery, same);
      if (delivery.status !== 202) return [];
      const first = earlier.findLast(
        ({ status, run, clock }) =>
          status === 202 &&
          !MAY_COME_AGAIN.includes(records.get(run ?? "")?.state) &&
          delivery.clock - clock < WITHIN - 60_000,
      );
      // A full disk may refuse to note a delivery that was accepted.
      if (first === undefined || wasFull) return [];
      const text = `${delivery.number} ran as ${delivery.run}, ${first.number} as ${first.run}, key ${delivery.key}, clock ${first.clock}, then ${delivery.clock}`;
      return [{ kind: "a repeated delivery ran", text }];
    }),
  );
}

/** The answer names a run with the same key: of another request, or of one without an answer. */
function repetition(delivery: SentRequest, same: readonly SentRequest[]): readonly Violation[] {
  const isKnown = same.some(
    ({ run, status, number }) =>
      number !== delivery.number &&
      (status === undefined || (status === 202 && run === delivery.run)),
  );
  if (isKnown) return [];
  return [{ kind: "a repetition of no delivery", text: `${delivery.number}: ${delivery.run}` }];
}

function chains({ records, wasFull, stops }: Evidence): readonly Violation[] {
  const all = [...records.values()];
  const followers = Map.groupBy(
    all.filter((record) => nameOf(record) === "follower"),
    ({ detail }) => (detail as { readonly parent?: { readonly run?: string } }).parent?.run,
  );
  return all
    .filter((record) => nameOf(record) === "followed" && isEnded(record))
    .flatMap((parent) => {
      const { id, state } = parent;
      const own = followers.get(id) ?? [];
      const isFollowed = state === "succeeded" || state === "failed";
      const text = `${id} ${state} ${parent.reason ?? ""}: ${own.map((each) => `${each.id} ${each.state} ${each.trigger}`).join(", ")}; stops: ${stops.map(({ how }) => how).join(", ")}${wasFull ? "; the disk was full" : ""}`;
      if (state === "interrupted") return [{ kind: "a followed run stays interrupted", text }];
      if (own.length === (isFollowed ? 1 : 0)) return [];
      return [{ kind: own.length === 0 ? "no follower" : "needless followers", text }];
    });
}

function ticks(evidence: Evidence): readonly Violation[] {
  const { records, notes } = evidence;
  const scheduled = [...records.values()].filter(({ kind }) => kind === "schedule");
  const bySlot = Map.groupBy(
    scheduled.filter((record) => slotOf(record) !== undefined),
    slotOf,
  );
  const repeated = [...bySlot].filter(([, all]) => all.length > 1);
  const begins = notes.filter(({ what, number }) => what === "begin" && number.startsWith("tick:"));
  const twice = [...Map.groupBy(begins, ({ number }) => number)].filter(
    ([, all]) => all.length > 1,
  );
  const missing = scheduled.filter(
    ({ state, id }) => state === "succeeded" && notesOf(evidence, id, "begin").length === 0,
  );
  return [
    ...repeated.map(([slot, all]) => ({
      kind: "a time with two records",
      text: `${slot}: ${all.map(({ id, state }) => `${id} ${state}`).join(", ")}`,
    })),
    ...twice.map(([number]) => ({ kind: "a time that ran twice", text: number })),
    ...missing.map(({ id }) => ({ kind: "a time that did not run", text: id })),
  ];
}

const slotOf = ({ detail }: ListedRun): string | undefined =>
  (detail as { readonly slot?: string } | undefined)?.slot;
