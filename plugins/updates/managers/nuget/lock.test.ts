/** `packages.lock.json`, where only a package's own entries change, and where that cannot be told. */
import test from "ava";
import { nugetFeed, type Published } from "../../testing/nuget-feed.js";
import { workshop } from "../../testing/workshop.js";
import { project, updated } from "./nuget-cases.js";

const lock = (
  version: string,
  hash: string,
  needs: Readonly<Record<string, string>> = {},
): string =>
  `${JSON.stringify(
    {
      version: 1,
      dependencies: {
        "net8.0": {
          "Acme.Thing": {
            type: "Direct",
            requested: `[${version}, )`,
            resolved: version,
            contentHash: hash,
            ...(Object.keys(needs).length > 0 ? { dependencies: needs } : {}),
          },
          "Acme.Base": { type: "Transitive", resolved: "1.5.0", contentHash: "base" },
        },
      },
    },
    undefined,
    2,
  )}`;

const net8 = (range: string): Published => ({
  needs: { "net8.0": { "Acme.Base": range }, net48: {} },
});

const locks: ReadonlyArray<
  readonly [what: string, before: Published, after: Published, outcome: RegExp]
> = [
  ["needs nothing", {}, {}, /^refreshed$/],
  ["needs what is there", net8("[1.0.0, )"), net8("[1.5.0, )"), /^refreshed$/],
  [
    "needs a newer version",
    net8("[1.0.0, )"),
    net8("[1.6.0, )"),
    /acme\.thing 1\.1\.0 needs Acme\.Base \[?1\.6\.0/,
  ],
  [
    "needs something new",
    {},
    net8("[1.0.0, )"),
    /which packages acme\.thing 1\.1\.0 needs for net8\.0 cannot be told/,
  ],
  ["is signed", {}, { signed: true }, /^refreshed$/],
];
for (const [what, before, after, outcome] of locks)
  test(`the lock file, where the new version ${what}`, async (t) => {
    await using feed = await nugetFeed();
    await using tools = workshop();
    const old = feed.publish("Acme.Thing", "1.0.0", before);
    const next = feed.publish("Acme.Thing", "1.1.0", after);
    const had = before.needs === undefined ? {} : { "Acme.Base": "1.0.0" };
    const has = after.needs === undefined ? {} : { "Acme.Base": "1.5.0" };
    const files = { "A.csproj": project("1.0.0"), "packages.lock.json": lock("1.0.0", old, had) };
    const edit = await updated(files, "acme.thing", feed, tools);
    if (typeof edit === "string") return t.fail(edit);
    t.regex(edit.lock.kind === "stale" ? edit.lock.note : edit.lock.kind, outcome);
    t.is(
      edit.files.get("packages.lock.json"),
      edit.lock.kind === "refreshed" ? lock("1.1.0", next, has) : undefined,
    );
  });

test("a lock file that NuGet did not write, or that others have a say in, is left alone", async (t) => {
  await using feed = await nugetFeed();
  await using tools = workshop();
  feed.publish("Acme.Thing", "1.0.0");
  feed.publish("Acme.Thing", "1.1.0");
  const usual = lock("1.0.0", "x");
  const document = JSON.parse(usual);
  document.dependencies["net8.0"]["Acme.Holder"] = {
    type: "Transitive",
    resolved: "1.0.0",
    contentHash: "h",
    dependencies: { "Acme.Thing": "[1.0.0]" },
  };
  const held = JSON.stringify(document, undefined, 2);
  document.dependencies["net8.0"].lib = {
    type: "Project",
    dependencies: { "Acme.Thing": "[1.0.0, )" },
  };
  const rows: ReadonlyArray<readonly [text: string, why: RegExp]> = [
    [usual.replaceAll("\n  ", "\n   "), /not written the way NuGet writes it/],
    [held, /Acme\.Holder needs acme\.thing \[1\.0\.0\]/],
    [JSON.stringify(document, undefined, 2), /another project of the solution needs acme\.thing/],
  ];
  for (const [text, why] of rows) {
    const files = { "A.csproj": project("1.0.0"), "packages.lock.json": text };
    const edit = await updated(files, "acme.thing", feed, tools);
    if (typeof edit === "string") return t.fail(edit);
    t.regex(edit.lock.kind === "stale" ? edit.lock.note : edit.lock.kind, why);
    t.false(edit.files.has("packages.lock.json"));
  }
});
