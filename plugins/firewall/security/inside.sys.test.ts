/** Every attempt of `probes.ts`, as the caller and as an ordinary user. */
import test from "ava";
import { attempts, fromOutside, groups } from "../testing/security/attempts.js";
import { noteProbes, probesThatRan } from "../testing/security/probe-counts.js";

const users = [
  ["the caller", false],
  ["an ordinary user", true],
] as const;

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(120_000));

for (const [user, ordinary] of users) {
  const resultOf = attempts(() => ({ ordinary }));
  for (const [group, probes] of Object.entries(groups)) {
    for (const { name, gets } of probes) {
      test(`${group}: ${name} (as ${user})`, async (t) => {
        const got = (await resultOf(group, name)) ?? "nothing at all";
        if (typeof gets === "string") t.is(got, gets);
        else t.regex(got, gets);
        noteProbes(user);
      });
    }
  }
}

test.after("probes that ran", (t) => {
  for (const line of probesThatRan()) t.log(line);
});

test("a run's proxy cannot be reached from outside the run", async (t) => {
  // Every address refuses the connection.
  t.is(await fromOutside({}), "111\n111\n111\n");
});
