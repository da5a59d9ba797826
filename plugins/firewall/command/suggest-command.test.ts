import test from "ava";
import { suggestCommand } from "./run-command.js";

const words: ReadonlyArray<readonly [argv: string[], meant: string | undefined]> = [
  [["logz"], "awf logs"],
  [["log", "stats"], "awf logs"],
  [["lgos"], "awf logs"],
  [["llogs"], "awf logs"],
  [["docter"], "awf doctor"],
  [["stats"], "awf logs stats"],
  [["sumary"], "awf logs summary"],
  [["--", "logz"], undefined],
  [["--tty", "logz"], undefined],
  [["ls"], undefined],
  [["logout"], undefined],
  [["logz stats"], undefined],
  [[], undefined],
];
for (const [argv, meant] of words) {
  test(`awf ${argv.join(" ")} may mean ${meant ?? "nothing else"}`, (t) => {
    t.is(suggestCommand(argv), meant);
  });
}
