/** A home directory after a run is what the same operations would have made of it outside. */
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import fc from "fast-check";
import { run } from "../../../../tests/support/child.js";
import { folder } from "../../../../tests/support/folder.js";
import { runs } from "../../../../tests/support/runs.js";
import { quoteWord } from "../namespace.js";
import { commitHome } from "./commit.js";
import { layOutHomes } from "./layout.js";
import { overlayLines, shownAt } from "./overlay.js";

type Operation = readonly [name: string, ...words: ReadonlyArray<string | number>];

interface Sequence {
  /** Makes the tree. */
  readonly before: readonly Operation[];
  readonly inside: readonly Operation[];
}

const names = fc.constantFrom("a", "b", "c");
const path = fc.array(names, { minLength: 1, maxLength: 3 }).map((words) => words.join("/"));
const text = fc.string({ maxLength: 6 });
const mode = fc.constantFrom(0o600, 0o644, 0o755, 0o640);
const folderMode = fc.constantFrom(0o700, 0o755, 0o1777);
const time = fc.integer({ min: 1, max: 2_000_000 }).map((seconds) => 1_000_000_000 + seconds);

const changes: Readonly<Record<string, fc.Arbitrary<Operation>>> = {
  write: fc.tuple(fc.constant("write"), path, text),
  make: fc.tuple(fc.constant("make"), path),
  append: fc.tuple(fc.constant("append"), path, text),
  replace: fc.tuple(fc.constant("replace"), path, text),
  truncate: fc.tuple(fc.constant("truncate"), path, fc.nat({ max: 4 })),
  sparse: fc.tuple(fc.constant("sparse"), path, fc.constant(1_000_000)),
  remove: fc.tuple(fc.constant("remove"), path),
  again: fc.tuple(fc.constant("again"), path),
  move: fc.tuple(fc.constant("move"), path, path),
  symlink: fc.tuple(fc.constant("symlink"), path, path),
  mode: fc.tuple(fc.constant("mode"), path, fc.oneof(mode, folderMode)),
  time: fc.tuple(fc.constant("time"), path, time),
  mark: fc.tuple(fc.constant("mark"), path, fc.constantFrom("one", "two"), text),
};
const makes = ["write", "make", "make", "sparse", "symlink", "mode", "time", "mark"];
const operations = (kinds: readonly string[], maxLength: number) =>
  fc.array(fc.oneof(...kinds.flatMap((kind) => changes[kind] ?? [])), { maxLength });
const sequence: fc.Arbitrary<Sequence> = fc.record({
  before: operations(makes, 25),
  inside: operations([...Object.keys(changes), "move", "remove", "append"], 12),
});

const program = (name: string) => ["/usr/bin/python3", `plugins/firewall/testing/trees/${name}.py`];

async function python(name: string, input: unknown, before: readonly string[] = []) {
  const [file = "", ...words] = [...before, ...program(name)];
  const { code, stdout, stderr } = await run(file, words, { input: JSON.stringify(input) });
  if (code !== 0) throw new Error(stderr);
  return JSON.parse(stdout) as unknown[];
}

const owners = {
  root: ["--mount"],
  "a user": ["--user", "--map-root-user", "--mount"],
};
/** Sequences whose homes are mounted at the same time. */
const batch = 50;

for (const [owner, namespaces] of Object.entries(owners)) {
  test(`random trees and operations: inside is outside (as ${owner})`, async (t) => {
    t.timeout(1_800_000);
    const all = fc.sample(sequence, runs(100, 5000));
    for (let start = 0; start < all.length; start += batch) {
      const sequences = all.slice(start, start + batch);
      const scratch = folder(t);
      const at = (kind: string, index: number) => join(scratch, `${kind}-${index}`);
      const homes = sequences.map((_, index) => at("home", index));
      const outside = sequences.map((_, index) => at("outside", index));
      for (const home of homes) mkdirSync(home);
      await python(
        "operations",
        sequences.map(({ before }, index) => [homes[index], before]),
      );
      for (const [index, home] of homes.entries())
        await run("cp", ["-aT", home, outside[index] ?? ""]);
      const since = Date.now() / 1000;
      const layered = layOutHomes(
        homes.map((home, index) => ({
          ...{ home, name: `run-${index}`, writable: true, uid: 0, gid: 0 },
          ...{ opened: [], allowed: [], held: [], hidden: [], relocated: [] },
        })),
        scratch,
        join(scratch, "hiding.tar"),
      );
      const layouts = layered.homes;
      const script = overlayLines(layered, quoteWord).join(" && ");
      const before = [
        ...["unshare", ...namespaces, "--", "sh", "-c"],
        `here=$PWD; ${script} && cd $here && exec "$@"`,
        "sh",
      ];
      const steps = sequences.map(({ inside }) => inside);
      const results = await python(
        "operations",
        layouts.map((layout, index) => [shownAt(layout), steps[index]]),
        before,
      );
      t.deepEqual(
        results,
        await python(
          "operations",
          outside.map((path, index) => [path, steps[index]]),
        ),
      );
      for (const layout of layouts) {
        const { isComplete, held, moved, problems } = await commitHome(layout);
        t.deepEqual(
          { isComplete, held, moved, problems },
          { isComplete: true, held: [], moved: [], problems: [] },
        );
      }
      const [found, wanted] = await Promise.all(
        [homes, outside].map((roots) => python("snapshot", { roots, since })),
      );
      for (const [index, one] of sequences.entries())
        t.deepEqual(found?.[index], wanted?.[index], JSON.stringify(one));
    }
  });
}
