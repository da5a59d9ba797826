/** How long a version waits: by its kind of change and its name. */
import test from "ava";
import type { SemverChange } from "../model.js";
import type { UpdatePolicy } from "./contract.js";
import { cooldownOf, coolsDown } from "./cooldown.js";

type Waits = Pick<UpdatePolicy, "cooldown" | "cooldowns">;

const rows: ReadonlyArray<
  readonly [what: string, Waits, change: SemverChange | undefined, milliseconds: number]
> = [
  ["nothing is said", {}, "major", 0],
  ["all wait alike", { cooldown: 2 }, "patch", 2],
  [
    "its kind of change has a time of its own",
    { cooldown: 2, cooldowns: { changes: { major: 9 } } },
    "major",
    9,
  ],
  ["another kind has", { cooldown: 2, cooldowns: { changes: { major: 9 } } }, "minor", 2],
  ["its kind does not wait", { cooldown: 2, cooldowns: { changes: { patch: 0 } } }, "patch", 0],
  ["no kind can be told", { cooldown: 2, cooldowns: { changes: { major: 9 } } }, undefined, 2],
  ["its name is meant", { cooldown: 2, cooldowns: { include: ["fo*"] } }, "minor", 2],
  ["other names are meant", { cooldown: 2, cooldowns: { include: ["b*"] } }, "minor", 0],
  [
    "its name is left out",
    { cooldown: 2, cooldowns: { include: ["*"], exclude: ["foo"] } },
    "minor",
    0,
  ],
];
for (const [what, waits, change, milliseconds] of rows)
  test(`where ${what}: ${milliseconds}`, (t) => {
    const policy: UpdatePolicy = { lockfileOnly: false, securityOnly: false, ignore: [], ...waits };
    t.is(cooldownOf(policy, "foo", change), milliseconds);
    if (milliseconds > 0) t.true(coolsDown(policy));
  });
