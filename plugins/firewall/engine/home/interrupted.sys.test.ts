/** Taking changes over may be cut off at any moment: each file is the old or the new one, and a second call does the rest. */
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { child, output, run } from "../../../../tests/support/child.js";
import { eventually } from "../../../../tests/support/eventually.js";
import { folder } from "../../../../tests/support/folder.js";
import { runs } from "../../../../tests/support/runs.js";
import { commitHome } from "./commit.js";
import type { HomeLayout } from "./layout.js";
import { layers } from "./overlay.js";

const program = "dist/plugins/firewall/engine/home/commit-process.js";
const [changed, removed, added] = [150, 50, 100];
const names = (prefix: string, count: number) =>
  Array.from({ length: count }, (_, index) => `${prefix}-${String(index).padStart(3, "0")}`);

/** A home, and an upper layer with a file, a removal and a new directory of each kind. */
function layoutIn(scratch: string): HomeLayout {
  const [home, root] = [join(scratch, "home"), join(scratch, "root")];
  const upper = join(root, layers.upper);
  for (const path of [home, upper, join(upper, "new")]) mkdirSync(path, { recursive: true });
  for (const name of [...names("changed", changed), ...names("removed", removed)])
    writeFileSync(join(home, name), `old ${name}\n`);
  for (const name of names("changed", changed)) writeFileSync(join(upper, name), `new ${name}\n`);
  for (const name of names("added", added))
    writeFileSync(join(upper, "new", name), `new ${name}\n`);
  for (const name of names("removed", removed)) output("mknod", [join(upper, name), "c", "0", "0"]);
  const [uid, gid] = [process.getuid?.() ?? 0, process.getgid?.() ?? 0];
  return {
    ...{ home, name: "root", root, writable: true, opened: [], allowed: [], held: [] },
    ...{ relocated: [], since: Date.now() + 50, uid, gid },
  };
}

/** What is neither old nor new. */
function torn(home: string): string[] {
  const texts = names("changed", changed).map((name) => [name, join(home, name)] as const);
  return texts
    .filter(
      ([name, path]) => !/^(?:old|new) /.test(readFileSync(path, "utf8")) || !path.endsWith(name),
    )
    .map(([name]) => name);
}

function expectAll(home: string): { readonly found: unknown; readonly wanted: unknown } {
  const read = (path: string) => readFileSync(join(home, path), "utf8");
  const found = {
    names: readdirSync(home).sort(),
    changed: names("changed", changed).map(read),
    added: names("added", added).map((name) => read(`new/${name}`)),
  };
  const wanted = {
    names: [...names("changed", changed), "new"].sort(),
    changed: names("changed", changed).map((name) => `new ${name}\n`),
    added: names("added", added).map((name) => `new ${name}\n`),
  };
  return { found, wanted };
}

for (let kill = 0; kill < runs(4, 100); kill += 1)
  test(`a kill while changes are taken over (${kill + 1})`, async (t) => {
    const scratch = folder(t);
    const layout = layoutIn(scratch);
    const { home } = layout;
    const upper = join(layout.root, layers.upper);
    const left = () => readdirSync(upper).length;
    const before = left();
    const started = child(t, process.execPath, [program], { stdio: ["pipe", "ignore", "pipe"] });
    started.process.stdin?.on("error", () => undefined).end(JSON.stringify(layout));
    const wanted = Math.round((before * (kill % 4)) / 4) + 1;
    await eventually("some changes", () => before - left() >= wanted || !started.isAlive, {
      every: 1,
    });
    started.kill("SIGKILL");
    await started.ended;
    t.deepEqual(torn(home), []);
    const { isComplete, problems } = await commitHome(layout);
    t.true(isComplete);
    t.deepEqual(problems, []);
    const { found, wanted: all } = expectAll(home);
    t.deepEqual(found, all);
  });

test("a full disk: what does not fit stays, and is taken over when there is room", async (t) => {
  const scratch = folder(t);
  const layout = layoutIn(scratch);
  const script = `set -e
    mount -t tmpfs -o size=900k,mode=0755 tmpfs "$1"; cp -a "$1.old/." "$1"
    "$2" "$3" <"$4" >"$5"; mount -o remount,size=100m "$1"; "$2" "$3" <"$4" >"$6"; cp -a "$1/." "$1.new"`;
  const files = ["layout", "first", "second"].map((name) => join(scratch, name));
  const [input = "", first = "", second = ""] = files;
  writeFileSync(input, JSON.stringify({ ...layout, since: Date.now() + 60_000 }));
  for (const name of ["old", "new"]) mkdirSync(`${layout.home}.${name}`);
  output("cp", ["-a", `${layout.home}/.`, `${layout.home}.old`]);
  const space = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  const words = [layout.home, process.execPath, program, input, first, second];
  const { code, stderr } = await run("unshare", [
    ...[...space, "--mount", "sh", "-c", script, "sh"],
    ...words,
  ]);
  t.is(code, 0, stderr);
  const [one, two] = [first, second].map(
    (path) => JSON.parse(readFileSync(path, "utf8")) as { isComplete: boolean; problems: string[] },
  );
  t.false(one?.isComplete);
  t.true(
    one?.problems.some((problem) => problem.endsWith("(No space left on device)")),
    one?.problems[0],
  );
  t.deepEqual([two?.isComplete, two?.problems], [true, []]);
  const { found, wanted } = expectAll(`${layout.home}.new`);
  t.deepEqual(found, wanted);
});
