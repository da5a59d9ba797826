import { stat } from "node:fs/promises";
import { dirname } from "node:path";
import test from "ava";
import { updatesFixture } from "../../testing/fixture.js";

test("repositories and the folders above them are private to the daemon's user", async (t) => {
  const fixture = await updatesFixture(t);
  const { bareDirectory } = await fixture.repo("site", { "a.txt": "a\n" });
  const account = dirname(bareDirectory);
  for (const directory of [bareDirectory, account, dirname(account)])
    t.is((await stat(directory)).mode & 0o777, 0o700, directory);
});
