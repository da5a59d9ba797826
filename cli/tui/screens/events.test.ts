import test from "ava";
import type { DaemonEvent } from "../../../daemon/http/control/api.js";
import { briefEntries } from "./events.js";

const event = (sequence: number, type: string, data: DaemonEvent["data"]): DaemonEvent => ({
  ...{ sequence, at: sequence, type, plugin: "hooks", data },
});

test("the overview says each thing once: the plugin's own event has more to say than the run's", (t) => {
  const events = [
    event(7, "run.finished", {
      id: "2",
      kind: "updates",
      subject: "acme/site",
      state: "succeeded",
    }),
    event(6, "hook.finished", { hook: "a", run: "1", state: "succeeded", duration: 8 }),
    event(5, "run.finished", { id: "1", kind: "hook", subject: "hook.a", state: "succeeded" }),
    event(4, "run.running", { id: "1", kind: "hook", subject: "hook.a" }),
    event(3, "hook.triggered", { hook: "a", run: "1", trigger: "POST /hooks/a" }),
    event(2, "run.started", { id: "1", kind: "hook", subject: "hook.a", state: "queued" }),
    event(1, "run.started", { id: "2", kind: "updates", subject: "acme/site", state: "queued" }),
  ];
  t.deepEqual(
    briefEntries(events).map(({ id }) => id),
    ["e7", "e6", "e3", "e1"],
  );
  t.is(briefEntries(events), briefEntries(events));
});
