/**
 * From a release to a clone, with real parts, for every manager beside npm: a notification through the API, a pull request,
 * a merge where the rules allow it, a fresh clone that works. Each with something that must not happen.
 */
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { needs, program } from "../../tests/support/needs.js";
import { git, type UpdatesFixture, updatesFixture } from "./testing/fixture.js";
import { forge } from "./testing/forge.js";
import { go, goProxy } from "./testing/go-proxy.js";
import { ociRegistry } from "./testing/oci-registry.js";
import { cloned, notify, releasing, rules } from "./testing/proof.js";

const withGo = needs(test, program("go"));

const withRegistry = needs(test, program("docker-registry"));

/** What a run says of the one dependency, once it has been looked at. */
async function onlyDependency(at: UpdatesFixture, config: string): Promise<string> {
  const { json } = await at.send("GET", `/update_configs/${config}/dependencies`);
  return String(json.data[0]?.attributes.name);
}

withRegistry.serial(
  "docker: a new image in a real registry is in the clone, a major one waits",
  async (t) => {
    await using registry = await ociRegistry();
    const image = `${registry.host}/acme/base`;
    await registry.push("acme/base", "1.2.3");
    const at = await updatesFixture(t);
    const repo = await at.repo("image", {
      Dockerfile: `FROM ${image}:1.2.3 AS build\r\nRUN true\r\n`,
    });
    const { json } = await at.config(repo, rules("docker"));
    const name = await onlyDependency(at, json.data.id);

    // Announced, and not there: nothing happens.
    await notify(at, "docker", name, "1.2.9");
    await registry.push("acme/base", "1.2.4");
    await registry.push("acme/base", "1.2.5-slim");
    await notify(at, "docker", name, "1.2.4");
    await at.pulls(1, "state=merged");
    const checkout = await cloned(t, at, repo);
    t.is(
      await readFile(join(checkout, "Dockerfile"), "utf8"),
      `FROM ${image}:1.2.4 AS build\r\nRUN true\r\n`,
    );
    await registry.push("acme/base", "2.0.0");
    await notify(at, "docker", name, "2.0.0");
    const [open] = await at.pulls(1, "state=open");
    await at.plugin.until(
      async () =>
        /semver:patch/.test(
          String((await at.pulls(1, "state=open"))[0]?.attributes["automerge-reason"]),
        ),
      "the reason why it waits",
    );
    t.is(open?.attributes.title, `Bump ${name} from 1.2.4 to 2.0.0`);
    t.is((await at.pulls(1, "state=merged")).length, 1);
  },
);

const MAIN = `package main\n\nimport "example.test/thing"\n\nfunc main() { println(thing.X) }\n`;
const thing = (value: number) => ({ "code.go": `package thing\n\nvar X = ${value}\n` });

withGo.serial(
  "go_modules: what is merged builds with the real go, a broken release is not merged",
  async (t) => {
    await using proxy = await goProxy();
    proxy.publish("example.test/thing", "v1.0.0", "", thing(1));
    const goMod = "module example.test/app\n\ngo 1.17\n\nrequire example.test/thing v1.0.0\n";
    const start = await go({ "go.mod": goMod, "main.go": MAIN }, proxy, ["mod", "tidy"]);
    const check = `check { run = ["sh", "-c", "HOME=$PWD/.home GOFLAGS=-modcacherw GOPROXY=${proxy.url} GOSUMDB=off GOTOOLCHAIN=local go build -o /dev/null ./..."] }`;
    const at = await updatesFixture(t, {
      inside: `registry "go_modules" { url = "${proxy.url}" }\n  ${check}`,
    });
    const repo = await at.repo("app", start);
    await at.config(repo, rules("go_modules"));
    proxy.publish("example.test/thing", "v1.0.1", "", thing(2));
    await notify(at, "go_modules", "example.test/thing", "v1.0.1");
    await at.pulls(1, "state=merged");
    const checkout = await cloned(t, at, repo);
    const names = (await readdir(checkout)).filter((name) => name !== ".git");
    const files = Object.fromEntries(
      await Promise.all(
        names.map(async (name) => [name, await readFile(join(checkout, name), "utf8")] as const),
      ),
    );
    t.regex(files["go.mod"] ?? "", /example\.test\/thing v1\.0\.1/);
    await t.notThrowsAsync(
      go(files, proxy, ["mod", "verify"], ["build", "-mod=readonly", "./..."]),
    );

    // What does not build any more is offered, and the check says no.
    proxy.publish("example.test/thing", "v1.0.2", "", {
      "code.go": "package thing\n\nvar Y = 3\n",
    });
    await notify(at, "go_modules", "example.test/thing", "v1.0.2");
    await at.plugin.until(
      async () => (await at.pulls(1, "state=open"))[0]?.attributes.checks === "failed",
      "the check to fail",
    );
    t.is((await at.pulls(1, "state=merged")).length, 1);
  },
);

test.serial(
  "submodules: a push updates the repositories that follow the branch, and no others",
  async (t) => {
    const at = await updatesFixture(t);
    const library = await at.repo("lib", { "lib.c": "int x = 1;\n" });
    const site = await at.repo("super", { "README.md": "super\n" });
    const remote = `${at.url.replace("://", `://ada:${at.token}@`)}/git/acme/lib.git`;
    await git(
      site.directory,
      "-c",
      "protocol.file.allow=always",
      "submodule",
      "add",
      "--quiet",
      remote,
      "vendor/lib",
    );
    await git(
      site.directory,
      "config",
      "--file",
      ".gitmodules",
      "submodule.vendor/lib.url",
      "../lib.git",
    );
    await site.push({}, "a submodule");
    const before = await library.git("rev-parse", "HEAD");
    const { json } = await at.config(site, rules("submodules", "all"));
    const name = await onlyDependency(at, json.data.id);

    // A branch that no repository follows.
    await library.git("push", "--quiet", "origin", "HEAD:refs/heads/other");
    await library.push({ "lib.c": "int x = 2;\n" });
    const after = await library.git("rev-parse", "HEAD");
    await notify(at, "submodules", name);
    await at.pulls(1, "state=merged");
    const checkout = await cloned(t, at, site);
    t.is(await git(checkout, "ls-tree", "--format=%(objectname)", "HEAD", "vendor/lib"), after);
    t.not(before, after);
    await git(checkout, "submodule", "update", "--init", "--quiet");
    t.is(await readFile(join(checkout, "vendor/lib/lib.c"), "utf8"), "int x = 2;\n");
    t.is(await git(checkout, "status", "--porcelain"), "");
  },
);

test.serial(
  "host_actions: a tag of a real remote, a comment that follows, and a major one that waits",
  async (t) => {
    const remote = await forge("github");
    t.teardown(() => remote[Symbol.asyncDispose]());
    remote.tokens.set("registry-token-1", "read");
    const release = await releasing(remote);
    const first = await release("v1.0.0");
    const at = await updatesFixture(t, {
      inside: `registry "host_actions" {
    url = "${new URL(remote.url).origin}/git"
    token = secret("env:REGISTRY_TOKEN")
  }`,
    });
    const file = ".github/workflows/ci.yml";
    const workflow = (pin: string, version: string): string =>
      `on: push\njobs:\n  build:\n    runs-on: any\n    steps:\n      - uses: acme/site@${pin} # ${version}\n`;
    const repo = await at.repo("flow", { [file]: workflow(first, "v1.0.0") });
    await at.config(repo, rules("host_actions"));
    const patch = await release("v1.0.1");
    await notify(at, "host_actions", "acme/site", "v1.0.1");
    await at.pulls(1, "state=merged");
    const checkout = await cloned(t, at, repo);
    t.is(await readFile(join(checkout, file), "utf8"), workflow(patch, "v1.0.1"));
    await release("v2.0.0");
    await notify(at, "host_actions", "acme/site", "v2.0.0");
    await at.pulls(1, "state=open");
    t.is((await at.pulls(1, "state=merged")).length, 1);
  },
);
