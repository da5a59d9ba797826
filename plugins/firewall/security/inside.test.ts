/** Every attempt of `probes.ts`, as the caller and as an ordinary user. */
import test from "ava";
import { attempt, fromOutside, groups } from "../testing/security/attempts.js";

const users = { "the caller": false, "an ordinary user": true };

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(60_000));

for (const [user, ordinary] of Object.entries(users)) {
  for (const [group, probes] of Object.entries(groups)) {
    const results = attempt(probes, () => ({ ordinary }));
    for (const { name, gets } of probes) {
      test(`${group}: ${name} (as ${user})`, async (t) => {
        const got = (await results()).get(name) ?? "nothing at all";
        if (typeof gets === "string") t.is(got, gets);
        else t.regex(got, gets);
      });
    }
  }
}

test("a run's proxy cannot be reached from outside the run", async (t) => {
  // Every address refuses the connection.
  t.is(await fromOutside({}), "111\n111\n111\n");
});
