/** The running plugin, with what most tests need: accounts, tokens, pushes, requests. */
import { mkdir, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import type { ExecutionContext } from "ava";
import { type FakeClock, type PluginUnderTest, testPlugin } from "reeve/testing";
import { outputOf } from "../../../tests/support/child.js";
import { folder as makeFolder } from "../../../tests/support/folder.js";
import plugin from "../plugin.js";

export interface Sent {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of any shape.
  readonly json: any;
}

export interface UpdatesFixture {
  readonly plugin: PluginUnderTest;
  readonly url: string;
  /** A directory that is removed after the test. */
  readonly folder: string;
  /** Of the first account, `acme`. */
  readonly token: string;
  send(
    method: string,
    path: string,
    body?: unknown,
    headers?: Record<string, string>,
  ): Promise<Sent>;
  control(method: string, path: string, payload?: unknown): Promise<unknown>;
  /** A repository of `acme` with these files on its default branch. Its id on the host, and its checkout. */
  repo(name: string, files: Readonly<Record<string, string>>): Promise<Checkout>;
  config(repo: Checkout, more?: Readonly<Record<string, unknown>>): Promise<Sent>;
  /** Waits for matching pull requests. */
  pulls(count: number, query?: string): Promise<readonly ShownPull[]>;
}

export interface Checkout {
  readonly id: number;
  readonly directory: string;
  /** Of the bare repository. */
  readonly bareDirectory: string;
  git(...args: string[]): Promise<string>;
  push(files: Readonly<Record<string, string>>, message?: string): Promise<void>;
}

interface ShownPull {
  readonly id: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests read responses of any shape.
  readonly attributes: Readonly<Record<string, any>>;
}

export interface UpdatesFixtureOptions {
  /** Attributes and blocks inside `updates "main"`. */
  readonly inside?: string;
  readonly clock?: FakeClock;
}

export async function git(directory: string, ...args: string[]): Promise<string> {
  const stdout = await outputOf("git", ["-C", directory, ...args], {
    env: {
      PATH: process.env.PATH ?? "",
      HOME: "/nonexistent",
      GIT_CONFIG_NOSYSTEM: "1",
      // No process looks for what to tidy up.
      GIT_CONFIG_COUNT: "2",
      GIT_CONFIG_KEY_0: "maintenance.auto",
      GIT_CONFIG_VALUE_0: "false",
      GIT_CONFIG_KEY_1: "receive.autogc",
      GIT_CONFIG_VALUE_1: "false",
      GIT_TERMINAL_PROMPT: "0",
      GIT_AUTHOR_NAME: "Ada",
      GIT_AUTHOR_EMAIL: "ada@example.org",
      GIT_COMMITTER_NAME: "Ada",
      GIT_COMMITTER_EMAIL: "ada@example.org",
    },
  });
  return stdout.trim();
}

export async function updatesFixture(
  t: ExecutionContext,
  options: UpdatesFixtureOptions = {},
): Promise<UpdatesFixture> {
  t.timeout(120_000);
  const folder = makeFolder(t);
  const config = `updates "main" {
  listen = "127.0.0.1:0"
  repositories = "./repositories"
  allow_registries = ["127.0.0.0/8"]
  ${options.inside ?? ""}
}
`;
  const tested = await testPlugin(plugin, {
    config,
    environment: { REGISTRY_TOKEN: "registry-token-1" },
    ...(options.clock ? { clock: options.clock } : {}),
  });
  t.teardown(() => tested.stop());
  const control = async (method: string, path: string, payload?: unknown): Promise<unknown> => {
    const answer = await tested.control({
      method,
      url: `/v1/updates${path}`,
      ...(payload === undefined ? {} : { payload }),
    });
    if (answer.status >= 300) throw new Error(answer.body);
    return answer.json();
  };
  const { url } = (await control("GET", "/")) as { url: string };
  await control("POST", "/accounts", { login: "acme" });
  const { token } = (await control("POST", "/tokens", { login: "acme" })) as { token: string };

  const send: UpdatesFixture["send"] = async (method, path, body, headers = {}) => {
    const response = await fetch(`${url}${path}`, {
      method,
      headers: {
        authorization: `Personal ${token}`,
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        ...headers,
      },
      ...(body === undefined
        ? {}
        : { body: typeof body === "string" ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get("content-type")?.includes("json");
    return {
      status: response.status,
      headers: response.headers,
      text,
      json: isJson ? JSON.parse(text) : undefined,
    };
  };

  return {
    plugin: tested,
    url,
    folder,
    token,
    send,
    control,
    repo: async (name, files) => {
      const made = (await control("POST", "/repos", { login: "acme", name })) as { id: number };
      const directory = join(folder, name);
      await mkdir(directory);
      await git(directory, "init", "--quiet", "--initial-branch=main");
      const remote = `${url.replace("://", `://ada:${token}@`)}/git/acme/${name}.git`;
      await git(directory, "remote", "add", "origin", remote);
      const checkout: Checkout = {
        id: made.id,
        directory,
        bareDirectory: join(tested.folder, "repositories", "acme", `${name}.git`),
        git: (...args) => git(directory, ...args),
        push: async (changed, message = "change") => {
          for (const [path, text] of Object.entries(changed)) {
            await mkdir(dirname(join(directory, path)), { recursive: true });
            await writeFile(join(directory, path), text);
          }
          await git(directory, "add", "--all");
          await git(directory, "commit", "--quiet", "--message", message);
          await git(directory, "push", "--quiet", "origin", "HEAD:main");
        },
      };
      await checkout.push(files, "begin");
      return checkout;
    },
    config: (repo, more = {}) =>
      send("POST", "/update_configs", {
        "repo-id": repo.id,
        "account-id": "1",
        "account-type": "org",
        directory: "/",
        "update-schedule": "live",
        "package-manager": "npm_and_yarn",
        ...more,
      }),
    pulls: async (count, query = "") => {
      let found: readonly ShownPull[] = [];
      const areThere = async () => {
        found = (await send("GET", `/pull_requests?${query}`)).json.data;
        return found.length >= count;
      };
      await tested
        .until(areThere, `${count} pull requests ${query}`)
        .catch(async (error: Error) => {
          const known = async (path: string) => JSON.stringify((await send("GET", path)).json.data);
          const [runs, all] = [await known("/runs"), await known("/pull_requests")];
          throw new Error(`${error.message} The runs: ${runs}. All pull requests: ${all}.`);
        });
      return found;
    },
  };
}
