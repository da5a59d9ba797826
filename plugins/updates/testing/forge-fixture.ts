/** The plugin with a remote code host, a registry and one repository: the common part of tests for remote hosts. */
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { ExecutionContext } from "ava";
import { type FakeClock, type PluginUnderTest, testPlugin } from "reeve/testing";
import { folder } from "../../../tests/support/folder.js";
import plugin from "../plugin.js";
import { git } from "./fixture.js";
import { type Forge, forge } from "./forge.js";
import type { ForgeKind } from "./forge-checks.js";
import { type NpmRegistry, npmRegistry } from "./npm-registry.js";

export interface World {
  readonly host: Forge;
  readonly registry: NpmRegistry;
  readonly tested: PluginUnderTest;
  /** Of the API. */
  readonly url: string;
  send(method: string, path: string, body?: unknown, token?: string): Promise<Response>;
  /** Commits to `branch` without a webhook. */
  push(files: Readonly<Record<string, string>>, branch?: string): Promise<void>;
}

export const TOKEN = "forge-token-1";
export const WEBHOOK_SECRET = "webhook-secret-1";

export interface WorldOptions {
  /** Inside the `updates` block. */
  readonly inside?: string;
  /** Inside its `host` block. */
  readonly host?: string;
  readonly clock?: FakeClock;
}

interface FirstCommit {
  readonly site: string;
  /** Where it is pushed. */
  readonly bare: string;
}

let firstCommit: Promise<FirstCommit> | undefined;

/** The repository of every world with its first commit, made once for a process and gone with it. */
async function makeFirstCommit(): Promise<FirstCommit> {
  const directory = mkdtempSync(join(tmpdir(), "reeve-forge-begin-"));
  process.once("exit", () => rmSync(directory, { recursive: true, force: true }));
  const [site, bare] = [join(directory, "site"), join(directory, "site.git")];
  mkdirSync(site);
  const manifest = { name: "site", version: "1.0.0", dependencies: { "left-foo": "2.0.0" } };
  writeFileSync(join(site, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await git(site, "init", "--quiet", "--initial-branch=main");
  await git(site, "add", "--all");
  await git(site, "commit", "--quiet", "--message", "change");
  await git(directory, "init", "--quiet", "--bare", "--initial-branch=main", bare);
  await git(site, "push", "--quiet", bare, "HEAD:refs/heads/main");
  return { site, bare };
}

export async function world(
  t: ExecutionContext,
  kind: ForgeKind,
  options: WorldOptions = {},
): Promise<World> {
  t.timeout(120_000);
  firstCommit ??= makeFirstCommit();
  const first = await firstCommit;
  const host = await forge(kind, first.bare);
  t.teardown(() => host[Symbol.asyncDispose]());
  const registry = await npmRegistry({ "left-foo": { "2.0.0": {} } });
  t.teardown(() => registry[Symbol.asyncDispose]());
  const site = folder(t);
  cpSync(first.site, site, { recursive: true });
  const push: World["push"] = async (files, branch = "main") => {
    await git(site, "fetch", "--quiet", host.bareDirectory, branch).then(
      () => git(site, "reset", "--quiet", "--hard", "FETCH_HEAD"),
      () => undefined,
    );
    for (const [path, text] of Object.entries(files)) {
      mkdirSync(dirname(join(site, path)), { recursive: true });
      writeFileSync(join(site, path), text);
    }
    await git(site, "add", "--all");
    await git(site, "commit", "--quiet", "--message", "change");
    await git(site, "push", "--quiet", host.bareDirectory, `HEAD:refs/heads/${branch}`);
  };
  const tested = await testPlugin(plugin, {
    config: `updates "main" {
  listen = "127.0.0.1:0"
  allow_registries = ["127.0.0.0/8"]
  host "${kind}" {
    url = "${host.url}"
    token = secret("env:FORGE_TOKEN")
    webhook_secret = secret("env:WEBHOOK_SECRET")
    ${options.host ?? ""}
  }
  registry "npm_and_yarn" { url = "${registry.url}" }
  ${options.inside ?? ""}
}
`,
    environment: { FORGE_TOKEN: TOKEN, WEBHOOK_SECRET },
    ...(options.clock ? { clock: options.clock } : {}),
  });
  t.teardown(() => tested.stop());
  const { url } = (await tested.control({ url: "/v1/updates" })).json() as { url: string };
  return {
    ...{ host, registry, tested, url, push },
    send: (method, path, body, token = TOKEN) =>
      fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Personal ${token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
  };
}

/** A configuration of the repository; patches are merged. */
export const config = {
  "repo-id": 7,
  "account-id": "3",
  "account-type": "org",
  directory: "/",
  "update-schedule": "live",
  "package-manager": "npm_and_yarn",
  "automerge-rule-runtime-deps": "semver:patch",
};

export const release = (at: World, version: string): Promise<Response> =>
  at.send("POST", "/release_notifications/private", {
    ...{ name: "left-foo", version, "package-manager": "npm_and_yarn" },
  });

/** Waits until pull request `number` exists on the host and in the plugin. */
export const shown = (at: World, number: number): Promise<unknown> =>
  at.tested.until(async () => {
    const { data } = (await (await at.send("GET", "/pull_requests?state=open")).json()) as {
      data: readonly { attributes: { number: number } }[];
    };
    return data.some(({ attributes }) => attributes.number === number);
  }, `pull request ${number}`);
