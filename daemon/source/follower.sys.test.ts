/** What becomes of a commit after it is applied, over restarts: real git, real files, a reload that the test decides. */
import { readFileSync, readlinkSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import test, { type ExecutionContext } from "ava";
import type { ReloadOutcome } from "../reload/contract.js";
import type { DaemonServices } from "../services/contract.js";
import { kitFor, temporaryDirectory, until } from "../services/testing/services.js";
import { CommitDirectories } from "./commits.js";
import type { SourceSettings } from "./contract.js";
import { SourceFollower } from "./follower.js";
import { Git } from "./git.js";
import { Mirror } from "./mirror.js";
import { Remote } from "./testing/remote.js";

interface Host {
  readonly kit: DaemonServices;
  readonly state: string;
  readonly remote: Remote;
}

async function hostFor(t: ExecutionContext): Promise<Host> {
  return {
    kit: await kitFor(t),
    state: temporaryDirectory(t),
    remote: new Remote(t),
  };
}

/** A follower as a start of the daemon makes it. */
async function started({ kit, state, remote }: Host): Promise<SourceFollower> {
  const settings: SourceSettings = {
    url: pathToFileURL(remote.directory).href,
    branch: "main",
    path: "",
    history: "forward",
    poll: 3_600_000,
  };
  const git = new Git(join(state, "git"), settings, new AbortController().signal);
  const follower = new SourceFollower({
    settings,
    mirror: new Mirror(git, settings, async () => undefined),
    commits: new CommitDirectories(join(state, "source")),
    kit,
    check: async () => undefined,
    reload: async () => ({ generation: { state: "probation" } }) as ReloadOutcome,
  });
  await follower.prepare();
  return follower;
}

/** Applies a second commit after the first. */
async function withTwoCommits(host: Host): Promise<SourceFollower> {
  host.remote.commit({ "main.reeve": "# one\n" });
  const follower = await started(host);
  follower.follow();
  host.remote.commit({ "main.reeve": "# two\n" });
  await follower.poll();
  return follower;
}

const contentOf = ({ state }: Host): string =>
  readFileSync(join(state, "source/current/main.reeve"), "utf8");
const codes = ({ kit }: Host): readonly string[] => kit.conditions.list().map(({ code }) => code);

test("a commit that is taken back stays refused after a restart, until the branch moves", async (t) => {
  const host = await hostFor(t);
  const { remote, kit } = host;
  const first = await withTwoCommits(host);
  t.is(contentOf(host), "# two\n");
  kit.events.emit("config.rolled_back", { reason: "a plugin was unhealthy." });
  await until(() => contentOf(host) === "# one\n" && codes(host).includes("source_rolled_back"));
  await first.close();

  const second = await started(host);
  await second.poll();
  t.is(contentOf(host), "# one\n");
  t.deepEqual(codes(host), ["source_rolled_back"]);
  remote.commit({ "main.reeve": "# three\n" });
  await second.poll();
  t.is(contentOf(host), "# three\n");
  t.deepEqual(codes(host), []);
  await second.close();
});

test("a daemon that dies while it takes a commit back returns to the one before at its next start", async (t) => {
  const host = await hostFor(t);
  const { kit } = host;
  const first = await withTwoCommits(host);
  const two = readlinkSync(join(host.state, "source/current"));
  await first.close();
  // Dies after the refusal is recorded, before the link is replaced.
  const records = kit.records("source");
  const memory = (await records.get<{ applied: { commit: string } }>("memory")) as {
    readonly applied: { readonly commit: string };
  };
  await records.set("memory", {
    ...memory,
    refused: { commit: memory.applied.commit, code: "rolled_back", reason: "it failed", at: 1 },
  });
  const second = await started(host);
  await second.poll();
  t.is(contentOf(host), "# one\n");
  t.not(readlinkSync(join(host.state, "source/current")), two);
  t.deepEqual(codes(host), ["source_rolled_back"]);
  await second.close();
});

test("a commit that has proved itself is not taken back with a later generation", async (t) => {
  const host = await hostFor(t);
  const { kit } = host;
  const follower = await withTwoCommits(host);
  kit.events.emit("config.confirmed", { generation: 2 });
  kit.events.emit("config.rolled_back", { reason: "an edit of a plugin's code failed." });
  await follower.poll();
  t.is(contentOf(host), "# two\n");
  await follower.close();
  const again = await started(host);
  again.follow();
  kit.events.emit("config.rolled_back", { reason: "it failed." });
  await again.poll();
  t.is(contentOf(host), "# two\n");
  await again.close();
});

test("other refusals are tried again after a restart", async (t) => {
  const host = await hostFor(t);
  const { remote } = host;
  remote.commit({ "main.reeve": "# one\n" });
  const first = await started(host);
  first.follow();
  await first.close();
  remote.commit({ "main.reeve": "# two\n", "a.txt": "", "A.txt": "" });
  const second = await started(host);
  await second.poll();
  t.is(contentOf(host), "# one\n");
  t.deepEqual(codes(host), ["source_bad_name"]);
  await second.close();
  const third = await started(host);
  t.deepEqual(codes(host), []);
  await third.poll();
  t.deepEqual(codes(host), ["source_bad_name"]);
  await third.close();
});
