/** What else is in a mix.lock and around it: other projects, organizations, git, older lines. Hex says whether it is right. */
import { createServer } from "node:http";
import test from "ava";
import { fetched, needs, program } from "../../../../tests/support/needs.js";
import type { Lookup } from "../../registries/contract.js";
import { hexPackage, hexPublicKey } from "../../testing/hex-package.js";
import { type HexRegistry, hexRegistry } from "../../testing/hex-registry.js";
import { repository, type Workshop, workshop } from "../../testing/manager-fixture.js";
import { updatedBy } from "../../testing/propose-update.js";
import { mixed } from "../../testing/real-mix.js";
import type { ManagerSettings, UpdateEdit } from "../contract.js";
import { hex } from "./manager.js";
import { hexReleases, PUBLIC, payloadOf } from "./registry.js";

const withHex = needs(test, program("mix"), fetched("elixir-hex-*", "Hex"));

// Elixir takes its time to start on a small machine.
test.beforeEach((t) => t.timeout(120_000));

const project = (app: string, deps: string, more = ""): string =>
  `defmodule ${app[0]?.toUpperCase()}${app.slice(1)} do\n  use Mix.Project\n${more}  def project, do: [app: :${app}, version: "0.1.0", deps: [${deps}]]\nend\n`;

type FileTexts = Readonly<Record<string, string>>;

interface World {
  readonly registry: HexRegistry;
  /** Files as Hex locks them. */
  locked(files: FileTexts): Promise<FileTexts>;
  update(files: FileTexts, name: string, directory?: string): Promise<UpdateEdit>;
}

async function within(work: (world: World, tools: Workshop) => Promise<void>): Promise<void> {
  await using registry = await hexRegistry();
  await using tools = workshop();
  const settings: ManagerSettings = { registries: [{ manager: "hex", url: registry.url }] };
  await work(
    {
      registry,
      locked: (files) => mixed(registry, files, ["deps.get"]),
      update: (files, name, directory = "/") =>
        updatedBy({
          manager: hex,
          sources: repository(files, { directory }),
          name,
          tools,
          settings,
        }),
    },
    tools,
  );
}

const noteOf = ({ lock }: UpdateEdit): string => (lock.kind === "stale" ? lock.note : lock.kind);

withHex("packages of an organization depend on its own packages by default", (t) =>
  within(async ({ registry, locked, update }) => {
    const organization = "acme";
    registry.publish("shared", "1.0.0");
    for (const version of ["1.0.0", "1.1.0"])
      registry.publish("inner", version, [], { organization });
    const needs = [
      { name: "inner", requirement: "~> 1.0" },
      { name: "shared", requirement: "~> 1.0", repo: "hexpm" },
    ];
    registry.publish("private", "1.0.0", needs, { organization });
    const deps = '{:private, "~> 1.0", organization: "acme"}';
    const files = await locked({ "mix.exs": project("app", deps) });
    t.regex(files["mix.lock"] ?? "", /hex: :inner, repo: "hexpm:acme"/);
    registry.publish("private", "1.2.0", needs, { organization });
    const edit = await update(files, "private");
    t.like(edit.lock, { kind: "refreshed", tier: "in_process" });
    const after = { ...files, ...Object.fromEntries(edit.files) };
    t.deepEqual(await locked(after), after);
    t.regex(after["mix.lock"] ?? "", /"private": \{:hex, :private, "1\.2\.0"/);
  }),
);

withHex("an override may be newer than packages allow; a path dependency may not", (t) =>
  within(async ({ registry, locked, update }) => {
    registry.publish("left", "1.0.0");
    registry.publish("strict", "1.0.0", [{ name: "left", requirement: "~> 1.0.0" }]);
    const deps = (more: string) =>
      `{:left, "~> 1.0"${more}}, {:strict, "~> 1.0"}, {:core, path: "core"}`;
    const begin = {
      "mix.exs": project("app", deps(", override: true")),
      "core/mix.exs": project("core", '{:left, ">= 1.0.0 and < 1.5.0"}'),
    };
    const files = await locked(begin);
    registry.publish("left", "1.4.0");
    const edit = await update(files, "left");
    t.like(edit.lock, { kind: "refreshed", tier: "in_process" });
    const after = { ...files, ...Object.fromEntries(edit.files) };
    t.deepEqual(await locked(after), after);
    t.deepEqual([...edit.files.keys()].sort(), ["mix.exs", "mix.lock"]);

    const plain = { ...files, "mix.exs": project("app", deps("")) };
    await t.throwsAsync(update(plain, "left"), {
      message: "strict 1.0.0 needs left ~> 1.0.0, and 1.4.0 is used.",
    });
    const without = { "mix.exs": project("app", '{:left, "~> 1.0"}, {:core, path: "core"}') };
    const alone = await locked({ ...begin, ...without });
    registry.publish("left", "1.6.0");
    await t.throwsAsync(update(alone, "left"), {
      message: "The project needs left >= 1.0.0 and < 1.5.0, and 1.6.0 is used.",
    });
    // Not in the repository: its requirements are unknown.
    const { "core/mix.exs": _, ...rest } = alone;
    t.regex(
      noteOf(await update(rest, "left")),
      /what core needs, in core, is not in the repository/,
    );
  }),
);

withHex(
  "requirements known to git only are not guessed, unless the dependency is not compiled",
  (t) =>
    within(async ({ registry, locked, update }) => {
      registry.publish("left", "1.0.0");
      const files = await locked({ "mix.exs": project("app", '{:left, "~> 1.0"}') });
      registry.publish("left", "1.1.0");
      const withGit = (more: string): FileTexts => ({
        ...files,
        "mix.exs": project("app", `{:left, "~> 1.0"}, {:icons, github: "x/icons"${more}}`),
        "mix.lock": (files["mix.lock"] ?? "").replace(
          "%{\n",
          `%{\n  "icons": {:git, "https://github.com/x/icons.git", "${"0".repeat(40)}", []},\n`,
        ),
      });
      t.regex(
        noteOf(await update(withGit(""), "left")),
        /icons comes from a git repository, and what it needs is not known\. Run `mix deps\.update left`/,
      );
      const edit = await update(withGit(", app: false, compile: false"), "left");
      t.like(edit.lock, { kind: "refreshed", tier: "in_process" });
      t.regex(
        edit.files.get("mix.lock") ?? "",
        /%\{\n {2}"icons": \{:git[^\n]+\n {2}"left": \{:hex, :left, "1\.1\.0"/,
      );
    }),
);

withHex("an umbrella's project is locked at its lockfile; its siblings count", (t) =>
  within(async ({ registry, locked, update }) => {
    registry.publish("left", "1.0.0");
    const member = (app: string, requirement: string): string =>
      project(app, `{:left, "${requirement}"}`).replace(
        "deps:",
        'lockfile: "../../mix.lock", deps:',
      );
    const files = await locked({
      "mix.exs":
        'defmodule U do\n  use Mix.Project\n  def project, do: [apps_path: "parts", version: "0.1.0", deps: []]\nend\n',
      "parts/one/mix.exs": member("one", "~> 1.0"),
      "parts/two/mix.exs": member("two", ">= 1.0.0 and < 1.3.0"),
    });
    registry.publish("left", "1.2.0");
    const edit = await update(files, "left", "/parts/one");
    t.deepEqual([...edit.files.keys()].sort(), ["mix.lock", "parts/one/mix.exs"]);
    const after = { ...files, ...Object.fromEntries(edit.files) };
    t.deepEqual(await locked(after), after);
    registry.publish("left", "1.4.0");
    await t.throwsAsync(update(files, "left", "/parts/one"), {
      message: /needs left >= 1\.0\.0 and < 1\.3\.0/,
    });
  }),
);

withHex(
  "entries of an older Hex get the current format; entries that differ from the registry stay",
  (t) =>
    within(async ({ registry, locked, update }) => {
      registry.publish("left", "1.0.0");
      const files = await locked({ "mix.exs": project("app", '{:left, "~> 1.0"}') });
      registry.publish("left", "1.1.0");
      const lock = files["mix.lock"] ?? "";
      const older = {
        ...files,
        "mix.lock": lock.replace(/, "hexpm", "[0-9a-f]{64}"\}/, ', "hexpm"}'),
      };
      t.not(older["mix.lock"], lock);
      const edit = await update(older, "left");
      const after = { ...files, ...Object.fromEntries(edit.files) };
      t.deepEqual(await locked(after), after);

      const other = {
        ...files,
        "mix.lock": lock.replace(/"[0-9a-f]{64}", \[:mix\]/, `"${"0".repeat(64)}", [:mix]`),
      };
      t.regex(
        noteOf(await update(other, "left")),
        /left is locked with another checksum than the registry has/,
      );
      const oldest = { ...files, "mix.lock": lock.replace(/, \[:mix\].*\}/, "}") };
      t.regex(
        (await update(oldest, "left")).files.get("mix.lock") ?? "",
        /"1\.1\.0", "[0-9a-f]{64}", \[:mix\]/,
      );
    }),
);

withHex("an archive that does not match the signature is not locked", (t) =>
  within(async ({ registry, locked }, tools) => {
    registry.publish("left", "1.0.0");
    const files = await locked({ "mix.exs": project("app", '{:left, "~> 1.0"}') });
    registry.publish("left", "1.1.0");
    await using between = {
      server: createServer(async ({ url = "" }, response) => {
        const answer = await fetch(`${registry.url}${url.replace("left-1.1.0", "left-1.0.0")}`);
        response.writeHead(answer.status).end(Buffer.from(await answer.arrayBuffer()));
      }).listen(0, "127.0.0.1"),
      async [Symbol.asyncDispose]() {
        this.server.closeAllConnections();
        await new Promise((resolve) => this.server.close(resolve));
      },
    };
    await new Promise((resolve) => between.server.once("listening", resolve));
    const { port } = between.server.address() as { readonly port: number };
    const settings: ManagerSettings = {
      registries: [{ manager: "hex", url: `http://127.0.0.1:${port}` }],
    };
    await t.throwsAsync(
      updatedBy({ manager: hex, sources: repository(files), name: "left", tools, settings }),
      { message: "The archive of left 1.1.0 does not match the signature of the registry." },
    );
  }),
);

test("the public registry's responses are verified with its key", async (t) => {
  const message = hexPackage("left", [{ version: "1.0.0", needs: [] }]);
  t.true(payloadOf(message, hexPublicKey()).length > 0);
  const other = Buffer.from(message);
  other[other.indexOf("1.0.0")] = 0x32;
  t.throws(() => payloadOf(other, hexPublicKey()), { message: /not signed by the registry/ });
  const lookup: Lookup = {
    fetch: async (question) =>
      question.digest({ url: question.url, header: () => undefined, body: message }),
    references: async () => [],
    fresh: () => lookup,
  };
  t.is((await hexReleases("https://hex.acme.example", "left", lookup)).length, 1);
  for (const url of [PUBLIC, `${PUBLIC}/repos/acme`])
    await t.throwsAsync(hexReleases(url, "left", lookup), {
      message: /not signed by the registry/,
    });
  await t.throwsAsync(hexReleases("https://hex.acme.example", "right", lookup), {
    message: /another package/,
  });
});

test("requirements in one attribute move together", (t) => {
  const text = project(
    "app",
    "{:one, @family}, {:two, @family}, {:three, @other}",
    '  @family "~> 1.0"\n  @other "~> 2.0"\n',
  );
  const { dependencies } = hex.parse(repository({ "mix.exs": text }), { registries: [] });
  t.deepEqual(
    dependencies.map(({ id, together }) => [id, together]),
    [
      ["one", "@family of mix.exs"],
      ["two", "@family of mix.exs"],
      ["three", undefined],
    ],
  );
});
