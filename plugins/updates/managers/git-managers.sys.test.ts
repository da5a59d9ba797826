/** Actions and submodules against real git repositories. */

import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, dirname } from "node:path";
import test from "ava";
import { outputOf } from "../../../tests/support/child.js";
import type { UpdateDecision } from "../decide/contract.js";
import { decide as decided } from "../decide/decide.js";
import { propose } from "../decide/propose.js";
import { gitRemote } from "../testing/git.js";
import { repository, workshop } from "../testing/manager-fixture.js";
import { closed } from "../testing/server.js";
import type { Manager, ManagerSettings, ProjectSources, Tools, UpdateEdit } from "./contract.js";
import { managerOf } from "./index.js";
import { absoluteUrl } from "./submodules/manifest.js";

async function decide(
  manager: Manager,
  sources: ProjectSources,
  settings: ManagerSettings,
  tools: Tools,
): Promise<readonly UpdateDecision[]> {
  const { dependencies } = manager.parse(sources, settings);
  return Promise.all(
    dependencies.map((dependency) =>
      propose({
        manager,
        dependency,
        runtime: {},
        library: false,
        advisories: [],
        policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
        lookup: tools.lookup.fresh(),
        now: 0,
      }),
    ),
  );
}

async function update(
  manager: Manager,
  sources: ProjectSources,
  settings: ManagerSettings,
  tools: Tools,
): Promise<UpdateEdit> {
  const found = await decide(manager, sources, settings, tools);
  const changes = found.flatMap((decision) =>
    decision.kind === "update" ? [decision.change] : [],
  );
  return manager.update({ sources, settings, changes }, tools);
}

const actions = await managerOf("host_actions");
const submodules = await managerOf("submodules");
const none: ManagerSettings = { registries: [] };

/** `owner/name` as directories, so that an action's name resolves to them. */
const settingsFor = (path: string): ManagerSettings => ({
  registries: [{ manager: "host_actions", url: `file://${dirname(dirname(path))}` }],
});
const nameOf = (path: string): string => `${basename(dirname(path))}/${basename(path)}`;

test("actions: tags keep their precision, commits and their comments move to whole versions", async (t) => {
  await using remote = await gitRemote();
  await using tools = workshop();
  const one = await remote.commit("main", "one");
  const two = await remote.commit("main", "two");
  for (const [tag, commit] of [
    ["v3", one],
    ["v3.1.0", one],
    ["v4", two],
    ["v4.0.0", two],
  ] as const)
    await remote.tag(tag, commit, tag === "v4.0.0");
  await remote.tag("v5.0.0-beta.1", two);
  const action = nameOf(remote.path);
  const workflow = (floating: string, exact: string, pinned: string, bare: string): string =>
    `jobs:\n  a:\n    steps:\n      - uses: ${action}@${floating}\n      - uses: ${action}/sub@${exact}\n      - uses: ${action}@${pinned}\n      - uses: ${action}/x@${bare}\n      - uses: ${action}@main\n`;
  const file = ".github/workflows/ci.yml";
  const sources = repository({ [file]: workflow("v3", "v3.1.0", `${one} # v3.1.0`, one) });
  const edit = await update(actions, sources, settingsFor(remote.path), tools);
  t.is(edit.files.get(file), workflow("v4", "v4.0.0", `${two} # v4.0.0`, two));

  const after = repository(Object.fromEntries(edit.files));
  const decided = await decide(actions, after, settingsFor(remote.path), tools);
  t.deepEqual(
    decided.map((decision) => (decision.kind === "none" ? decision.reason : decision.to)).sort(),
    ["no_origin", "up_to_date", "up_to_date", "up_to_date"],
  );
});

test("actions: a floating tag without a successor moves to a whole version", async (t) => {
  await using remote = await gitRemote();
  await using tools = workshop();
  const one = await remote.commit("main", "one");
  for (const tag of ["v1", "v1.0.0", "v1.9.0", "v2.0.0"]) await remote.tag(tag, one);
  const file = "action.yml";
  const text = (version: string): string =>
    `runs:\n  steps:\n    - uses: ${nameOf(remote.path)}@${version}\n`;
  const edit = await update(
    actions,
    repository({ [file]: text("v1") }),
    settingsFor(remote.path),
    tools,
  );
  t.is(edit.files.get(file), text("v2.0.0"));
});

for (const commit of ["9e5e7e5", "0a7b1c2", "a1b2c3d", "1234567"].map((start) =>
  start.padEnd(40, "0"),
))
  test(`actions: the commit ${commit} without a comment moves on from its tag`, async (t) => {
    const file = "action.yml";
    const text = (pin: string): string => `runs:\n  steps:\n    - uses: acme/x@${pin}\n`;
    const [dependency] = actions.parse(repository({ [file]: text(commit) }), none).dependencies;
    if (!dependency) return t.fail();
    const next = "f".repeat(40);
    const to = (...releases: readonly (readonly [version: string, pin: string])[]) =>
      decided({
        ...{ manager: actions, dependency, runtime: {}, library: false, advisories: [], now: 0 },
        available: { releases: releases.map(([version, pin]) => ({ version, pin })) },
        policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
      });
    t.like(to(["v1.0.0", next], ["v1.1.0", commit]), { kind: "none", reason: "up_to_date" });
    t.like(to(["v1.0.0", next]), { kind: "none", reason: "nothing_comparable" });
    const found = to(["v1.1.0", commit], ["v2.0.0", next]);
    t.deepEqual(found.kind === "update" && [found.to, found.change.requirements], [
      "v2.0.0",
      [next],
    ]);
  });

test("submodules: the commit follows the branch, or the tag named as the branch", async (t) => {
  await using remote = await gitRemote();
  await using tools = workshop();
  const old = await remote.commit("main", "old");
  const tip = await remote.commit("main", "tip");
  const maintained = await remote.commit("stable", "stable");
  await remote.tag("v1.0.0", old, true);
  await remote.tag("v1.1.0", tip, true);
  const entry = (path: string, branch: string): string =>
    `[submodule "${path}"]\n\tpath = ${path}\n\turl = ../${basename(remote.path)}\n${branch === "" ? "" : `\tbranch = ${branch}\n`}`;
  const text = (tag: string): string =>
    entry("a", "") + entry("b", "stable") + entry("c", tag) + entry("d", "");
  const sources = repository(
    { ".gitmodules": text("v1.0.0") },
    { submodules: { a: old, b: old, c: old, d: tip }, url: `${dirname(remote.path)}/own.git` },
  );
  const edit = await update(submodules, sources, none, tools);
  t.deepEqual(
    edit.submodules,
    new Map([
      ["a", tip],
      ["b", maintained],
      ["c", tip],
    ]),
  );
  t.deepEqual(edit.files, new Map([[".gitmodules", text("v1.1.0")]]));
});

test("submodules: a branch with the name of a tag is followed", async (t) => {
  await using remote = await gitRemote();
  await using tools = workshop();
  const old = await remote.commit("release-2.0", "old");
  const tip = await remote.commit("release-2.0", "tip");
  await remote.tag("release-3.0", tip);
  const text = `[submodule "a"]\n\tpath = a\n\turl = ../${basename(remote.path)}\n\tbranch = release-2.0\n`;
  const url = `${dirname(remote.path)}/own.git`;
  const at = (commit: string) =>
    repository({ ".gitmodules": text }, { submodules: { a: commit }, url });
  const edit = await update(submodules, at(old), none, tools);
  t.deepEqual([edit.submodules, edit.files.size], [new Map([["a", tip]]), 0]);
  const [decided] = await decide(submodules, at(tip), none, tools);
  t.like(decided, { kind: "none", reason: "up_to_date" });
});

test("tags of a repository over HTTP are read without a git process, and peeled", async (t) => {
  await using remote = await gitRemote();
  await using tools = workshop({ listReferences: () => Promise.reject(new Error("not this way")) });
  const commit = await remote.commit("main", "one");
  await remote.tag("v1.0.0", commit, true);
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const [path, query = ""] = (request.url ?? "").split("?");
    const env = {
      PATH: process.env.PATH,
      GIT_PROJECT_ROOT: dirname(remote.path),
      GIT_HTTP_EXPORT_ALL: "1",
      PATH_INFO: path,
      QUERY_STRING: query,
      REQUEST_METHOD: request.method,
    };
    const text = await outputOf("git", ["http-backend"], { env, encoding: "latin1" });
    const end = text.indexOf("\r\n\r\n");
    for (const line of text.slice(0, end).split("\r\n")) {
      const [name = "", value = ""] = line.split(": ");
      response.setHeader(name, value);
    }
    response.end(Buffer.from(text.slice(end + 4), "latin1"));
  };
  const server = createServer((request, response) => {
    answer(request, response).catch((error: Error) => response.writeHead(500).end(error.message));
  }).listen(0, "127.0.0.1");
  t.teardown(() => server.close());
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const references = await tools.lookup.references(
    `http://127.0.0.1:${port}/${basename(remote.path)}`,
  );
  await closed(server);
  t.deepEqual(
    [...references].sort((a, b) => a.name.localeCompare(b.name)),
    [
      { name: "HEAD", oid: commit },
      { name: "refs/heads/main", oid: commit },
      { name: "refs/tags/v1.0.0", oid: commit },
    ],
  );
});

const refused = [
  "ext::sh -c id",
  "file:///etc",
  "/etc",
  "--upload-pack=x",
  "ssh://-oProxyCommand=x/y",
];
for (const url of refused)
  test(`no request goes to ${url}`, async (t) => {
    await using tools = workshop();
    await t.throwsAsync(tools.lookup.references(url), { message: /not allowed/ });
  });

const addresses: ReadonlyArray<
  readonly [url: string, own: string | undefined, address: string | undefined]
> = [
  ["https://example.test/a", undefined, "https://example.test/a"],
  ["../b.git", "https://example.test/acme/own.git", "https://example.test/acme/b.git"],
  ["../../other/b", "https://example.test/acme/own.git", "https://example.test/other/b"],
  ["../b.git", "git@example.test:acme/own.git", "git@example.test:acme/b.git"],
  ["../b.git", "/srv/git/own.git", "/srv/git/b.git"],
  ["../b.git", undefined, undefined],
];
for (const [url, own, address] of addresses)
  test(`the submodule ${url} of ${own ?? "an unknown repository"} is at ${address ?? "an unknown URL"}`, (t) => {
    t.is(absoluteUrl(url, own), address);
  });
