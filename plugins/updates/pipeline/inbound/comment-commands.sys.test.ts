/** Comments that ask for something, and what becomes of the pull request. */
import test, { type ExecutionContext } from "ava";
import { deliver } from "../../testing/deliveries.js";
import {
  config,
  release,
  WEBHOOK_SECRET as secret,
  shown,
  type World,
  world,
} from "../../testing/forge-fixture.js";
import { commandIn } from "./comment-commands.js";

const sentences: ReadonlyArray<readonly [text: string, meant: unknown]> = [
  ["@reeve rebase", { what: "rebase" }],
  ["Thanks!\n\n@Dependabot recreate.\n", { what: "recreate" }],
  ["@dependabot squash and merge", { what: "merge" }],
  ["@reeve cancel  merge", { what: "cancel merge" }],
  ["@reeve ignore this major version", { what: "ignore", which: "major" }],
  ["@reeve ignore this minor", { what: "ignore", which: "minor" }],
  ["@reeve ignore this patch version", { what: "ignore", which: "patch" }],
  ["@reeve ignore this dependency", { what: "ignore", which: "dependency" }],
  ["@reeve unignore", { what: "unignore" }],
  ["@reeve dance", "unknown"],
  ["I asked @reeve rebase yesterday", undefined],
  ["@reeve", undefined],
  ["@reeves rebase", undefined],
];
for (const [text, meant] of sentences)
  test(`${JSON.stringify(text)} means ${JSON.stringify(meant)}`, (t) =>
    t.deepEqual(commandIn(text), meant));

const say = (t: ExecutionContext, { url }: World, number: number, text: string): Promise<void> =>
  deliver("github", { url, secret }, { what: "comment", number, by: 11, text }).then(
    ({ status }) => {
      t.is(status, 202);
    },
  );

async function opened(t: ExecutionContext, version: string, inside = ""): Promise<World> {
  const at = await world(t, "github", { inside });
  at.host.check = "failure";
  await at.send("POST", "/update_configs", config);
  at.registry.publish("left-foo", version);
  await release(at, version);
  await shown(at, 1);
  return at;
}

test.serial(
  "ignore this major version: closes it and offers no other version of that major",
  async (t) => {
    const at = await opened(t, "3.0.0");
    await say(t, at, 1, "@reeve ignore this major version");
    await at.tested.until(() => at.host.pulls[0]?.state === "closed", "the close");
    at.registry.publish("left-foo", "2.4.0");
    at.registry.publish("left-foo", "3.1.0");
    await release(at, "3.1.0");
    await at.tested.until(() => at.host.pulls.length === 2, "an update below it");
    t.is(at.host.pulls[1]?.title, "Bump left-foo from 2.0.0 to 2.4.0");
    await say(t, at, 1, "@reeve unignore");
    await at.tested.until(() => at.host.pulls.length === 3, "the update above it");
    t.is(at.host.pulls[2]?.title, "Bump left-foo from 2.0.0 to 3.1.0");
  },
);

test.serial("recreate drops commits of others on the branch, rebase keeps them", async (t) => {
  const at = await opened(t, "3.0.0", 'account "acme" { automatically_rebase_prs = false }');
  const branch = at.host.pulls[0]?.head ?? "";
  await at.push({ "notes.txt": "mine\n" }, branch);
  const files = async (): Promise<string> => at.host.git("ls-tree", "--name-only", branch);
  await say(t, at, 1, "@reeve rebase");
  const run = async (): Promise<string> => {
    const { data } = (await (await at.send("GET", "/runs")).json()) as { data: unknown };
    return JSON.stringify(data);
  };
  await at.tested.until(async () => /foreign_commits/.test(await run()), "the rebase to stop");
  t.regex(await files(), /notes\.txt/);
  await say(t, at, 1, "@reeve recreate");
  await at.tested.until(async () => !/notes\.txt/.test(await files()), "the branch to be new");
  t.is(at.host.pulls.length, 1);
});

const last = (at: World): string => at.host.pulls[0]?.comments.at(-1) ?? "";

test.serial("merge: works with a stale lock file, and the reply mentions it", async (t) => {
  const at = await world(t, "github", { host: "poll = 0s" });
  at.host.check = undefined;
  await at.push({ "pnpm-lock.yaml": "lockfileVersion: '1.0'\n\nimporters:\n  .: {}\n" });
  await at.send("POST", "/update_configs", config);
  at.registry.publish("left-foo", "2.0.1");
  await release(at, "2.0.1");
  await shown(at, 1);
  t.regex(at.host.pulls[0]?.body ?? "", /pnpm-lock\.yaml is not refreshed/);
  await say(t, at, 1, "@reeve merge");
  await at.tested.until(() => at.host.pulls[0]?.state === "merged", "the merge");
  t.regex(last(at), /^It is merged .*although its lock file is not up to date: pnpm-lock\.yaml/);
});

test.serial("merge: a failed check is the reply", async (t) => {
  const at = await opened(t, "3.0.0");
  await say(t, at, 1, "@reeve merge");
  await at.tested.until(() => /^Not merged\./.test(last(at)), "the answer");
  t.is(last(at), "Not merged. A check of the code host failed: build.");
  t.is(at.host.pulls[0]?.state, "open");
});

test.serial("unknown words get a reply with the supported ones", async (t) => {
  const at = await opened(t, "3.0.0");
  await say(t, at, 1, "@reeve dance");
  await at.tested.until(() => at.host.pulls[0]?.comments.length === 1, "the answer");
  t.regex(at.host.pulls[0]?.comments[0] ?? "", /`rebase`, .*`unignore`/);
  await say(t, at, 1, "@reeve close");
  await at.tested.until(() => at.host.pulls[0]?.state === "closed", "the close");
  await say(t, at, 1, "@reeve merge");
  await at.tested.until(
    () => /is closed already/.test(at.host.pulls[0]?.comments.at(-1) ?? ""),
    "the answer",
  );
});
