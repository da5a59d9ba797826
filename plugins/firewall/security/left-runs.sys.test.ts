/** Runs that were killed: nothing they changed is lost, and nothing is taken over unasked. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { awf as awfScript, outputOf } from "../testing/security/attempts.js";
import {
  createTestInternet,
  type StartOptions,
  type TestInternet,
} from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

const quiet = ["--log-level", "error"];
const named = /was killed; its changes to files are kept apart\. awf recover (\d+) takes them over/;

const unfinished = (home: string): string => join(home, ".local/state/reeve/awf/unfinished");

/** Starts a run, and kills it when its command has printed `up`. */
async function killed(world: TestInternet, line: string, options: StartOptions): Promise<void> {
  const run = world.start(
    process.execPath,
    [awfScript, ...quiet, "--", `${line}; echo up; sleep 600`],
    options,
  );
  await outputOf(run, "up");
  run.child.kill("SIGKILL");
  await run.result;
}

for (const ordinary of [false, true]) {
  const as = ordinary ? "an ordinary user" : "the caller";

  test(`what a killed run wrote is named by the next one, and taken over when asked (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { home } = world;
    writeFileSync(join(home, "gone"), "before\n");
    await killed(world, "echo work > ~/work; rm ~/gone; echo evil > ~/.bashrc", { ordinary });
    const { stderr } = await world.awf(["--", "true"], { ordinary });
    const [, id = ""] = named.exec(stderr) ?? [];
    t.true(id !== "", stderr);
    t.deepEqual([existsSync(join(home, "work")), existsSync(join(home, "gone"))], [false, true]);
    const listed = await world.awf(["recover"], { ordinary });
    t.regex(listed.stdout, new RegExp(`^${id} {2}.* UTC {2}echo\n`));
    t.true(listed.stdout.includes(join(home, "work")), listed.stdout);
    const { code, stderr: said } = await world.awf(["recover", id], { ordinary });
    t.is(code, 0);
    t.true(said.includes(`Not kept, since programs run or trust it later: ${home}/.bashrc`), said);
    t.is(readFileSync(join(home, "work"), "utf8"), "work\n");
    t.deepEqual(
      [existsSync(join(home, "gone")), existsSync(join(home, ".bashrc"))],
      [false, false],
    );
    t.deepEqual(readdirSync(unfinished(home)), []);
    t.notRegex((await world.awf(["--", "true"], { ordinary })).stderr, named);
  });

  test(`changes of a killed run are removed with --discard (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    await killed(world, "echo work > ~/work", { ordinary });
    const { stdout } = await world.awf(["recover", "--json"], { ordinary });
    const { runs } = JSON.parse(stdout) as { runs: Array<{ id: string; changed: string[] }> };
    const [{ id, changed } = { id: "", changed: [] }, ...others] = runs;
    t.deepEqual([changed, others], [[join(world.home, "work")], []]);
    t.is((await world.awf(["recover", id, "--discard"], { ordinary })).code, 0);
    t.false(existsSync(join(world.home, "work")));
    t.deepEqual(readdirSync(unfinished(world.home)), []);
  });

  test(`a killed run that changed nothing in the home leaves nothing (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    await killed(world, `echo work > ${world.workspace}/work`, { ordinary });
    t.is(readdirSync(unfinished(world.home)).length, 1);
    t.is((await world.awf(["--", "true"], { ordinary })).stderr.includes("recover"), false);
    t.deepEqual(readdirSync(unfinished(world.home)), []);
  });

  test(`a run of another container is listed, and taken over with --force only (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    await killed(world, "echo work > ~/work", { ordinary });
    const [id = ""] = readdirSync(unfinished(world.home));
    const path = join(unfinished(world.home), id, "run.json");
    const note = JSON.parse(readFileSync(path, "utf8")) as { owner: object };
    const elsewhere = { ...note, owner: { ...note.owner, boot: "another", machine: "another" } };
    writeFileSync(path, JSON.stringify(elsewhere));
    t.notRegex((await world.awf(["--", "true"], { ordinary })).stderr, named);
    t.regex((await world.awf(["recover"], { ordinary })).stdout, /may still run elsewhere/);
    const refused = await world.awf(["recover", id], { ordinary });
    t.deepEqual([refused.code, existsSync(join(world.home, "work"))], [1, false]);
    t.regex(refused.stderr, /^\[ERROR\] The run \d+ was started on another machine/);
    t.is((await world.awf(["recover", id, "--force"], { ordinary })).code, 0);
    t.is(readFileSync(join(world.home, "work"), "utf8"), "work\n");
  });

  test(`changes that cannot be written stay until they can (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { home } = world;
    // Both versions stay, but no longer name is left for the second.
    const target = join(home, "x".repeat(250));
    const run = world.start(
      process.execPath,
      [awfScript, "--", `echo work > ${target}; echo up; read -r _`],
      { ordinary, stdin: "open" },
    );
    await outputOf(run, "up");
    writeFileSync(target, "mine");
    run.child.stdin?.end("\n");
    const { stderr } = await run.result;
    const [, id = ""] =
      /What could not be written is kept: awf recover (\d+) tries/.exec(stderr) ?? [];
    t.true(id !== "", stderr);
    const again = await world.awf(["recover", id], { ordinary });
    t.is(again.code, 1);
    t.regex(again.stderr, /\[ERROR\] Some changes could not be written and are kept/);
    t.is(readFileSync(target, "utf8"), "mine");
    rmSync(target);
    t.is((await world.awf(["recover", id], { ordinary })).code, 0);
    t.is(readFileSync(target, "utf8"), "work\n");
    t.deepEqual(readdirSync(unfinished(home)), []);
  });
}

test("wrong words to `awf recover` are answered with its usage or one sentence", async (t) => {
  await using world = await createTestInternet({});
  for (const words of [["--discard"], ["--what"], ["1", "2"], ["--state"], ["--force"]]) {
    const { code, stderr } = await world.awf(["recover", ...words]);
    t.deepEqual([code, stderr.startsWith("Usage: awf recover")], [1, true], words.join(" "));
  }
  const unknown = await world.awf(["recover", "12"]);
  t.deepEqual(
    [unknown.code, unknown.stderr],
    [1, "[ERROR] There is no killed run 12 with changes. awf recover lists them\n"],
  );
  const none = await world.awf(["recover"]);
  t.deepEqual([none.code, none.stdout, none.stderr], [0, "", "No run waits.\n"]);
  t.is((await world.awf(["recover", "--help"])).code, 0);
});
