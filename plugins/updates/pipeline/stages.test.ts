import test from "ava";
import { Stages } from "./stages.js";

const clock = { now: () => 1000 } as ConstructorParameters<typeof Stages>[0];

test("a run shows its current stage, and keeps a line for each started stage", (t) => {
  const stages = new Stages(clock);
  stages.begin(7, 1);
  stages.say(7, { name: "looking up versions", done: 0, of: 64 });
  stages.say(7, { name: "looking up versions", done: 32, of: 64 });
  t.deepEqual(stages.of(1).stage, { name: "looking up versions", done: 32, of: 64 });
  stages.say(7, { name: "preparing pull requests", done: 0, of: 2 });
  stages.end(7, 1);
  t.deepEqual(stages.of(1), {
    log: [
      { at: 1000, text: "looking up versions, 64 in all" },
      { at: 1000, text: "preparing pull requests, 2 in all" },
    ],
  });
});

test("stages outside of a run, and old runs, are not kept", (t) => {
  const stages = new Stages(clock);
  stages.say(7, { name: "looking up versions" });
  for (let run = 1; run <= 101; run += 1) {
    stages.begin(7, run);
    stages.end(7, run);
  }
  stages.say(7, { name: "looking up versions" });
  t.deepEqual(stages.of(1), {});
  t.deepEqual(stages.of(101), { log: [] });
});
