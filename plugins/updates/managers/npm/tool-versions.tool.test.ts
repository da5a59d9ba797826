/** Lock files of other versions of pnpm and Yarn than the one most tests use: what is expected is what each writes itself. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { fetched, needs } from "../../../../tests/support/needs.js";
import { isLong } from "../../../../tests/support/runs.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { npmRegistry } from "../../testing/npm-registry.js";
import { pnpm11, pnpm12, publishTool, yarn3 } from "../../testing/package-tools.js";
import {
  byHand,
  dependencies,
  KINDS,
  type Kind,
  manifest,
  OLD,
  publishNews,
  settingsFor,
  updated,
} from "../../testing/tool-projects.js";

const withPnpm12 = needs(test, fetched("pnpm-12*", "pnpm 12"));

/** The tools are fetched once for all of these. */
const kept = mkdtempSync(join(tmpdir(), "reeve-tools-"));
test.after.always(() => rmSync(kept, { recursive: true, force: true }));
// A package manager is started several times; a small machine may take its time.
test.beforeEach((t) => t.timeout(120_000));

const pnpmOf = (tool: Kind["tool"]): Kind => ({
  ...KINDS.pnpm,
  tool,
  args: [...KINDS.pnpm.args, "--config.minimum-release-age=0", "--config.pm-on-fail=ignore"],
});
const yarnOf = (tool: Kind["tool"]): Kind => ({
  ...KINDS.yarn,
  tool,
  settings: (url) => ({
    ".yarnrc.yml": `npmRegistryServer: ${url}\nunsafeHttpWhitelist: [127.0.0.1]\n`,
  }),
});

/** What pnpm writes about itself, before what it writes about the project. */
const ABOUT_PNPM = `---
lockfileVersion: '9.0'

importers:

  .:
    configDependencies: {}
    packageManagerDependencies:
      pnpm:
        specifier: VERSION
        version: VERSION

packages:

  pnpm@VERSION:
    resolution: {integrity: sha512-w/24BuFvPURSzfR9apNmbEstBHNR0cwXVMFE3x/+oMrWmODN4So3nlPr0zBSDfKMCljIhPhyrbBc1yjDL7eDeA==}

snapshots:

  pnpm@VERSION: {}

---
`;

type Project = Readonly<{ packageManager?: string }>;
const project = (more: Project) => ({
  "package.json": manifest({ ...{ name: "app", dependencies }, ...more }),
});

/** pnpm 12 is brought for the test that needs it. */
const versions: ReadonlyArray<
  readonly [
    what: string,
    command: "pnpm" | "yarn",
    kindOf: () => Kind | Promise<Kind>,
    named: boolean,
  ]
> = [
  ["pnpm 11", "pnpm", () => pnpmOf(pnpm11), true],
  ["pnpm 12", "pnpm", async () => pnpmOf(await pnpm12()), true],
  ["yarn 3", "yarn", () => yarnOf(yarn3), true],
  // Its lock file alone says which Yarn it is.
  ["yarn 3", "yarn", () => yarnOf(yarn3), false],
];
/** The others have the tests below, too. */
const moved = versions.filter(([what, , , named]) => isLong || what === "pnpm 12" || !named);
for (const [what, command, kindOf, named] of moved) {
  const how = named ? "as the repository names it" : "as the lock file's format says";

  (what === "pnpm 12" ? withPnpm12 : test).serial(
    `${what}, ${how}: the lock moves as the tool moves it`,
    async (t) => {
      const kind = await kindOf();
      const { version } = kind.tool;
      const files = project(named ? { packageManager: `${command}@${version}` } : {});
      await using registry = await npmRegistry(OLD);
      await using tools = workshop({ kept });
      await publishTool(registry, kind.tool);
      const before = await byHand(kind, new Map(Object.entries(files)), registry);
      publishNews(registry);
      const sources = repository(Object.fromEntries(before));
      const edit = await updated(sources, "foo", settingsFor(registry.url), tools);
      t.deepEqual(edit.lock, { kind: "refreshed", tier: "tool", by: `${command} ${version}` });
      const manifests = [...edit.files].filter(([file]) => file !== kind.lock);
      const theirs = await byHand(kind, new Map([...before, ...manifests]), registry);
      t.deepEqual(new Map([...before, ...edit.files]), theirs);
      t.notDeepEqual(theirs, before);
    },
  );
}

const described = versions.filter(([what]) => what === "pnpm 11" || (isLong && what === "pnpm 12"));
for (const [what, , kindOf] of described)
  (what === "pnpm 12" ? withPnpm12 : test).serial(
    `${what}: what its lock file says of itself stays`,
    async (t) => {
      const kind = await kindOf();
      const { tool } = kind;
      await using registry = await npmRegistry(OLD);
      await using tools = workshop({ kept });
      await publishTool(registry, tool);
      const packageManager = `pnpm@${tool.version}`;
      const files = project({ packageManager });
      const before = await byHand(kind, new Map(Object.entries(files)), registry);
      const about = ABOUT_PNPM.replaceAll("VERSION", tool.version);
      publishNews(registry);
      const locked = `${about}${before.get(kind.lock)}`;
      const sources = repository({ ...Object.fromEntries(before), [kind.lock]: locked });
      const edit = await updated(sources, "foo", settingsFor(registry.url), tools);
      t.like(edit.lock, { kind: "refreshed" });
      const text = edit.files.get(kind.lock) ?? "";
      t.true(text.startsWith(about), text.slice(0, about.length));
      t.regex(text.slice(about.length), /foo@1\.1\.0/);
    },
  );

withPnpm12.serial("pnpm 12: the error is pnpm's own", async (t) => {
  const kind = pnpmOf(await pnpm12());
  await using registry = await npmRegistry(OLD);
  await using tools = workshop({ kept });
  await publishTool(registry, kind.tool);
  const packageManager = `pnpm@${kind.tool.version}`;
  const files = project({ packageManager });
  const before = await byHand(kind, new Map(Object.entries(files)), registry);
  registry.publish("foo", "1.1.0", { dependencies: { inner: "^7.0.0" } });
  const sources = repository(Object.fromEntries(before));
  await t.throwsAsync(updated(sources, "foo", settingsFor(registry.url), tools), {
    code: "does_not_resolve",
    message: `pnpm cannot resolve the versions: No matching version found for inner@^7.0.0 while fetching it from ${registry.url}/`,
  });
});
