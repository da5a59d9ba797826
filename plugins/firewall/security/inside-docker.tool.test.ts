/** Every attempt of hostile code gets the same result in a container as in the native engine. */
import test from "ava";
import { type DockerEngineForTests, startDocker } from "../testing/docker.js";
import { attempts, fromOutside, groups } from "../testing/security/attempts.js";
import { noteProbes, probesThatRan } from "../testing/security/probe-counts.js";
import { createTestInternet } from "../testing/test-internet.js";

const isRoot = process.getuid?.() === 0;
const image = ["--image-registry", "local.test/awf", "--image-tag", "1", "--skip-pull"];

let docker: DockerEngineForTests;
test.before(async () => {
  if (!isRoot) return;
  docker = await startDocker();
  await docker.importImage("local.test/awf/agent:1");
});
test.after.always(() => docker?.[Symbol.asyncDispose]());

// Starting containers takes long on a small machine.
test.beforeEach((t) => t.timeout(120_000));

test.after("probes that ran", (t) => {
  for (const line of probesThatRan()) t.log(line);
});

test("without root the Docker engine is refused with advice", async (t) => {
  await using world = await createTestInternet({});
  const { code, stderr } = await world.awf([...image, "--", "true"], { ordinary: true });
  t.is(code, 1);
  t.regex(
    stderr,
    /^\[ERROR\] .* root\. Run awf by sudo, or use --engine native, which needs no root$/m,
  );
});

if (isRoot) {
  test("a container's proxy cannot be reached from outside the run", async (t) => {
    const options = { args: image, environment: docker.environment };
    t.is(await fromOutside(options), "111\n111\n111\n");
  });

  const resultOf = attempts(() => ({ args: image, environment: docker.environment }));
  for (const [group, probes] of Object.entries(groups)) {
    for (const { name, gets } of probes) {
      test(`${group}: ${name} (in a container)`, async (t) => {
        const got = (await resultOf(group, name)) ?? "nothing at all";
        if (typeof gets === "string") t.is(got, gets);
        else t.regex(got, gets);
        noteProbes("containers");
      });
    }
  }
}
