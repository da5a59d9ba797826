/** What the step between two versions is called. */
import test from "ava";
import type { SemverChange } from "../model.js";
import { semverChange } from "./change.js";
import { semverVersioning } from "./semver.js";

type Name = SemverChange | undefined;
const changes: ReadonlyArray<
  readonly [from: string, to: string, caret: Name, literal: Name, strict: Name]
> = [
  ["1.0.0", "1.0.1", "patch", "patch", "patch"],
  ["1.0.0", "1.1.0", "minor", "minor", "minor"],
  ["1.9.0", "2.0.0", "major", "major", "major"],
  ["0.1.2", "0.1.3", "patch", "patch", undefined],
  ["0.1.2", "0.2.0", "major", "minor", undefined],
  ["0.0.1", "0.0.2", "major", "patch", undefined],
  ["0.9.0", "1.0.0", "major", "major", "major"],
  ["0.0.1-rc.1", "0.0.1", "patch", "patch", undefined],
  ["1.1.0", "1.0.0", undefined, undefined, undefined],
  ["1.1.0", "1.1.0", undefined, undefined, undefined],
  ["latest", "1.1.0", undefined, undefined, undefined],
  ["1.1.0", "latest", undefined, undefined, undefined],
];
for (const [from, to, caret, literal, strict] of changes)
  test(`${from} → ${to} is ${caret ?? "nothing"}, literally ${literal ?? "nothing"}, strictly ${strict ?? "nothing"}`, (t) => {
    t.is(semverChange(semverVersioning, from, to), caret);
    t.is(semverChange(semverVersioning, from, to, "literal"), literal);
    t.is(semverChange(semverVersioning, from, to, "strict"), strict);
  });
