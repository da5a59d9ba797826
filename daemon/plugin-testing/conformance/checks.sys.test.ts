/** The suite itself: a plugin that keeps its promises passes, and one that breaks one fails exactly there. */
import test, { type ExecutionContext } from "ava";
import { isLong, runs } from "../../../tests/support/runs.js";
import type { Isolation } from "../../plugin-api/descriptor.js";
import { type Breakage, notes } from "../testing/notes.js";
import { conformanceChecks } from "./checks.js";
import type { ConformanceCheck } from "./options.js";

const CONFIG = `
  note "a" { text = "first" }
  note "b" { text = "second"; token = secret("env:TOKEN") }
`;

function checksOf(
  t: ExecutionContext,
  broken: Breakage | undefined,
  isolations: readonly Isolation[],
): readonly ConformanceCheck[] {
  return conformanceChecks(notes(t, broken), {
    config: CONFIG,
    edited: CONFIG.replace("first", "changed"),
    refused: CONFIG.replace("first", "forbidden"),
    environment: { TOKEN: "hunter22" },
    secrets: ["hunter22"],
    isolations,
    observe: async (plugin) => {
      const labels = ["a", "b", "c"];
      const answers = labels.map((label) => plugin.inject({ url: `/notes/${label}` }));
      return (await Promise.all(answers)).map(({ status, body }) => [status, body]);
    },
    keeps: async (plugin) => {
      const visits = (await plugin.control({ url: "/v1/notes/visits" })).json();
      return (visits as Record<string, number>).b;
    },
    work: async (plugin) => {
      await plugin.inject({ url: "/notes/work", method: "POST" });
    },
  });
}

async function broken(checks: readonly ConformanceCheck[]): Promise<readonly string[]> {
  const failures = checks.map(({ title, run }) =>
    run().then(
      () => [],
      (thrown: Error) => [`${title}: ${thrown.message.split("\n")[0]}`],
    ),
  );
  return (await Promise.all(failures)).flat();
}

test.serial("a plugin that keeps its promises passes in every isolation", async (t) => {
  t.timeout(120_000);
  const checks = checksOf(t, undefined, ["inline", "worker", "process"]);
  t.is(checks.length, 3 * 11 + 3);
  // In commits each check runs inline and in one other isolation; the page about plugins has a plugin that all of them check.
  const tried = checks.filter(
    ({ title }, index) => isLong || !/^(worker|process): /.test(title) || index % 2 === 1,
  );
  const kinds = new Set(tried.map(({ title }) => title.replace(/^(worker|process): /, "")));
  t.true(checks.every(({ title }) => kinds.has(title.replace(/^(worker|process): /, ""))));
  t.deepEqual(await broken(tried), []);
});

const breakages: Readonly<Record<Breakage, string>> = {
  description: "it describes itself in plain data: It is written for version 99",
  abort: "inline: a prepared edit that is thrown away leaves no trace: What runs changed while",
  commit: "inline: a committed edit does what the new configuration says: After the edit it does",
  untouched: "inline: an edit of one block leaves the others untouched: An edit of one block",
  refusal: "inline: a refusal is about a place in the configuration: It accepted",
  range: 'inline: a refusal is about a place in the configuration: "this is not to be said" is',
  "last block": "inline: without its last block it gives everything back: It refused to have no",
  panels: "inline: its panels are valid data: Its panels are not valid",
  health: "inline: it answers for its health in time: With a good configuration it says it failed",
  secret: "inline: no secret is in what it shows: There is a secret in its panels",
  stop: "inline: it stops in time, with work under way: The plugin notes: It did not stop within 10 s",
  restart: 'inline: it goes on after a restart by hand: The plugin "notes" could not be started',
  crash: "inline: it goes on after a crash: After a crash it did not start again",
  timer: "inline: it leaves nothing behind: Of this it left something",
  isolation: 'it does the same in every isolation: In "worker" it does not do what it does in',
};

/** In commits each breakage is tried on the check that finds it and on every fourth of the others. */
const SHARE = runs(4, 1);

for (const [index, [breakage, failure]] of (
  Object.entries(breakages) as Array<[Breakage, string]>
).entries()) {
  test.serial(
    `a plugin with a broken promise fails there and nowhere else: ${breakage}`,
    async (t) => {
      t.timeout(120_000);
      t.teardown(() => forget());
      const checks = checksOf(
        t,
        breakage,
        breakage === "isolation" ? ["inline", "worker"] : ["inline"],
      );
      const isOwn = ({ title }: ConformanceCheck) => failure.startsWith(`${title}: `);
      const others = checks.filter((check) => !isOwn(check));
      const failures = await broken([
        ...checks.filter(isOwn),
        ...others.filter((_, other) => other % SHARE === index % SHARE),
      ]);
      t.deepEqual(
        failures.map((each) => each.slice(0, failure.length)),
        [failure],
        failures.join("\n"),
      );
    },
  );
}

test("there is a plugin that breaks each promise", (t) => {
  const titles = checksOf(t, undefined, ["inline", "worker"]).map(({ title }) => title);
  const shown = titles.filter((title) => !title.startsWith("worker: "));
  const unproved = shown.filter(
    (title) => !Object.values(breakages).some((failure) => failure.startsWith(`${title}: `)),
  );
  t.deepEqual(unproved, []);
});

test("what the options do not tell about is not checked", (t) => {
  const observe = async () => null;
  const titles = (options: object) =>
    conformanceChecks(notes(t), { config: "", edited: "", observe, ...options }).map(
      ({ title }) => title,
    );
  t.false(titles({}).some((title) => /secret|refusal|untouched/.test(title)));
  t.is(
    titles({ isolations: ["process"] }).filter((title) => /^inline|every isolation/.test(title))
      .length,
    0,
  );
});

/** What the plugin with a forgotten timer left. */
function forget(): void {
  const { forgotten = [] } = globalThis as { forgotten?: NodeJS.Timeout[] };
  for (const timer of forgotten.splice(0)) clearInterval(timer);
}
