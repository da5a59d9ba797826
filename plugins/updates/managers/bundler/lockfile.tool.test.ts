/** Gemfile.lock after an update, byte for byte as `bundle lock` itself writes it. */
import { createHash } from "node:crypto";
import test from "ava";
import { needs, program } from "../../../../tests/support/needs.js";
import { UpdatesError } from "../../errors.js";
import { bundled, type GemServer, gemServer } from "../../testing/gem-server.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { updatedBy, type Wanting } from "../../testing/propose-update.js";
import { bundler } from "./manager.js";

const withBundler = needs(test, program("bundle", "Bundler"));

type Texts = Readonly<Record<string, string>>;

interface Case {
  readonly gemfile: string;
  readonly more?: Texts;
  readonly before: (server: GemServer) => void;
  readonly after: (server: GemServer) => void;
  readonly name: string;
  /** Bundler lets go of what only the changed gem needs; here it stays as long as it is allowed. */
  readonly calmer?: boolean;
}

const cases: Readonly<Record<string, Case>> = {
  "a gem alone": {
    gemfile: 'gem "left", "~> 1.0"\ngem "right"\n',
    before: (at) => {
      at.publish("left", "1.0.0", "inner:>= 1&< 3");
      at.publish("right", "1.0.0");
      at.publish("inner", "1.2.0");
    },
    after: (at) => {
      at.publish("left", "2.1.0", "inner:>= 1.1&< 3");
      at.publish("right", "9.0.0");
      at.publish("inner", "1.9.0");
    },
    name: "left",
    calmer: true,
  },
  "only the lock moves where nothing is asked for": {
    gemfile: 'gem "left"\n',
    before: (at) => at.publish("left", "1.0.0"),
    after: (at) => {
      at.publish("left", "3.0.0");
      at.publish("left", "4.0.0.rc1");
    },
    name: "left",
  },
  "a gem that nothing requires any more is removed": {
    gemfile: 'gem "left", "1.0.0"\ngem "other"\n',
    before: (at) => {
      at.publish("left", "1.0.0", "inner:>= 0,shared:>= 0");
      at.publish("other", "1.0.0", "shared:>= 0");
      at.publish("inner", "1.0.0", "deep:>= 0");
      for (const name of ["deep", "shared"]) at.publish(name, "1.0.0");
    },
    after: (at) => at.publish("left", "1.0.1", "shared:>= 1"),
    name: "left",
  },
  "what comes in new is the newest that fits": {
    gemfile: 'gem "left", "~> 1.0"\ngem "other"\n',
    before: (at) => {
      at.publish("left", "1.0.0");
      at.publish("other", "1.0.0");
    },
    after: (at) => {
      at.publish("left", "1.1.0", "fresh:~> 1.2&!= 1.4.0,bundler:>= 1");
      for (const version of ["1.2.0", "1.3.0", "1.4.0", "2.0.0"])
        at.publish("fresh", version, version === "1.3.0" ? "deep:>= 0" : "");
      at.publish("deep", "0.1.0");
      at.publish("deep", "0.2.0.pre");
    },
    name: "left",
  },
  "a family moves together": {
    gemfile: 'gem "rails", "~> 7.0.4"\n',
    before: (at) => {
      at.publish("rails", "7.0.4", "action:= 7.0.4,record:= 7.0.4");
      at.publish("action", "7.0.4", "support:= 7.0.4");
      at.publish("record", "7.0.4", "support:= 7.0.4");
      at.publish("support", "7.0.4", "tool:>= 1");
      at.publish("tool", "1.0.0");
    },
    after: (at) => {
      at.publish("rails", "7.1.0", "action:= 7.1.0,record:= 7.1.0");
      at.publish("action", "7.1.0", "support:= 7.1.0");
      at.publish("record", "7.1.0", "support:= 7.1.0");
      at.publish("support", "7.1.0", "tool:>= 1");
      at.publish("tool", "1.5.0");
    },
    name: "rails",
    calmer: true,
  },
  "several requirements, in groups": {
    gemfile:
      'group :test do\n  gem "left", ">= 1.0", "< 2.0", require: false\nend\ngem "other", group: [:test, "ci"]\n',
    before: (at) => {
      at.publish("left", "1.0.0");
      at.publish("other", "1.0.0");
    },
    after: (at) => at.publish("left", "2.3.0"),
    name: "left",
  },
  "a gem with its gemspec": {
    gemfile: 'gemspec\ngem "other", "1.0.0"\n',
    more: {
      "mine.gemspec": `Gem::Specification.new do |spec|
  spec.name = "mine"
  spec.version = "0.1.0"
  spec.authors = ["A"]
  spec.summary = "S"
  spec.add_dependency "left", "~> 1.0"
  spec.add_development_dependency "dev", ">= 1", "< 2"
end
`,
    },
    before: (at) => {
      for (const name of ["left", "dev", "other"]) at.publish(name, "1.0.0");
    },
    after: (at) => at.publish("left", "2.5.0"),
    name: "left",
  },
  "a source of its own": {
    gemfile: 'source "SOURCE/" do\n  gem "left", "~> 1.0"\nend\n',
    before: (at) => at.publish("left", "1.0.0"),
    after: (at) => at.publish("left", "1.2.0"),
    name: "left",
  },
};

const projectOf = (at: GemServer, { gemfile, more = {} }: Case): Texts => ({
  Gemfile: `source "${at.url}"\n\n${gemfile.replace("SOURCE", at.url)}`,
  ...more,
});

for (const [what, given] of Object.entries(cases))
  withBundler.serial(`as bundler: ${what}`, async (t) => {
    t.timeout(90_000);
    await using at = await gemServer();
    await using tools = workshop();
    given.before(at);
    const before = await bundled(at, projectOf(at, given), ["lock"]);
    given.after(at);
    const wanting: Wanting = {
      manager: bundler,
      sources: repository(before),
      name: given.name,
      tools,
    };
    const edit = await updatedBy(wanting);
    t.like(edit.lock, { kind: "refreshed", tier: "in_process" });
    t.not(edit.files.get("Gemfile.lock"), undefined);
    const mine = { ...before, ...Object.fromEntries(edit.files) };
    t.is((await bundled(at, mine, ["lock"]))["Gemfile.lock"], mine["Gemfile.lock"]);
    if (given.calmer) return;
    const old = { ...mine, "Gemfile.lock": before["Gemfile.lock"] ?? "" };
    const theirs = await bundled(at, old, ["lock", "--conservative", "--update", given.name]);
    t.is(mine["Gemfile.lock"], theirs["Gemfile.lock"]);
  });

/** Lock files as newer versions of Bundler write them, and what must not be guessed. */
const LOCK = `GEM
  remote: URL/
  specs:
    inner (1.0.0)
    left (1.0.0)
      inner (>= 1)
    native (1.0.0)
    native (1.0.0-x86_64-linux)

PLATFORMS
  ruby
  x86_64-linux

DEPENDENCIES
  left (~> 1.0)
  native

CHECKSUMS
  inner (1.0.0) sha256=aaaa
  left (1.0.0) sha256=bbbb
  native (1.0.0) sha256=cccc
  native (1.0.0-x86_64-linux) sha256=dddd

BUNDLED WITH
   2.6.2
`;

async function small(at: GemServer, name: string, transform = (text: string): string => text) {
  await using tools = workshop();
  const Gemfile = `source "${at.url}"\ngem "left", "~> 1.0"\ngem "native"\n`;
  const sources = repository({ Gemfile, "Gemfile.lock": transform(LOCK.replace("URL", at.url)) });
  return { sources, edit: await updatedBy({ manager: bundler, sources, name, tools }) };
}

function publishSmall(at: GemServer): void {
  at.publish("left", "1.0.0", "inner:>= 1");
  at.publish("inner", "1.0.0");
  at.publish("native", "1.0.0");
  at.publish("native", "1.0.0-x86_64-linux");
  at.publish("native", "1.0.0-java");
}

test("checksums, platforms and newlines", async (t) => {
  await using at = await gemServer();
  publishSmall(at);
  at.publish("native", "1.2.0");
  at.publish("native", "1.2.0-x86_64-linux", "", "ruby:>= 2.0");
  at.publish("native", "1.2.0-arm64-darwin");
  const { sources, edit } = await small(at, "native", (text) => text.replaceAll("\n", "\r\n"));
  t.like(edit.lock, { kind: "refreshed", tier: "in_process" });
  const before = sources.files.get("Gemfile.lock") ?? "";
  const sum = (text: string): string => createHash("sha256").update(`native ${text}`).digest("hex");
  const expected = before
    .replace("native (1.0.0) sha256=cccc", `native (1.2.0) sha256=${sum("1.2.0")}`)
    .replace(
      "(1.0.0-x86_64-linux) sha256=dddd",
      `(1.2.0-x86_64-linux) sha256=${sum("1.2.0-x86_64-linux")}`,
    )
    .replace("    native (1.0.0)", "    native (1.2.0)")
    .replace("    native (1.0.0-x", "    native (1.2.0-x");
  t.is(edit.files.get("Gemfile.lock"), expected);
});

test("a gem that a locked one does not allow is refused, with the reason", async (t) => {
  await using at = await gemServer();
  publishSmall(at);
  at.publish("left", "1.1.0", "inner:>= 1,native:< 1");
  await t.throwsAsync(small(at, "left"), {
    instanceOf: UpdatesError,
    code: "does_not_resolve",
    message: "left 1.1.0 needs native < 1, and 1.0.0 is used.",
  });
});

test("a lock for platforms that the index lacks stays unchanged, and the note says so", async (t) => {
  await using at = await gemServer();
  publishSmall(at);
  at.publish("native", "1.1.0");
  const withoutOne = (text: string): string =>
    text.replace("    native (1.0.0-x86_64-linux)\n", "").replace(/ {2}native \(1.0.0-x.*\n/, "");
  const { edit } = await small(at, "native", withoutOne);
  t.deepEqual([...edit.files], []);
  if (edit.lock.kind !== "stale") return t.fail();
  t.regex(edit.lock.note, /native is locked for other platforms.*bundle lock/);
});
