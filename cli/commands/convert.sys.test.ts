import { renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { folder, reeve } from "../testing/reeve.js";

const text = `let limit = 5m

## Publishes.
hook "publish" {
  run = ["./publish.sh", payload.ref]
  timeout = let.limit
}
`;

test("a file goes to JSON and comes back with the same meaning", async (t) => {
  const cwd = folder(t, { "a.reeve": text });
  const json = await reeve(["convert", "a.reeve"], { cwd });
  t.deepEqual([json.code, json.stderr], [0, ""]);
  t.like(JSON.parse(json.stdout), { $let: { limit: { $expr: "5m" } } });
  writeFileSync(join(cwd, "b.reeve.json"), json.stdout);
  const back = await reeve(["convert", "b.reeve.json"], { cwd });
  t.is(back.code, 0);
  t.is(back.stdout.replaceAll(/\n+/g, "\n"), text.replaceAll(/\n+/g, "\n"));
  writeFileSync(join(cwd, "c.reeve"), back.stdout);
  const same = await reeve(["plan", "c.reeve", "--against", "a.reeve", "--exit-code"], { cwd });
  t.deepEqual([same.code, same.stdout], [0, "Nothing changes: 1 block, as before.\n"]);
});

test("a syntax error is shown with carets", async (t) => {
  const cwd = folder(t, { "a.reeve": "x =\n" });
  const bad = await reeve(["convert", "a.reeve"], { cwd });
  t.deepEqual([bad.code, bad.stdout], [78, ""]);
  t.regex(bad.stderr, /^error\[E013\][\s\S]* --> a\.reeve:1:4\n/);
  renameSync(join(cwd, "a.reeve"), join(cwd, "a.reeve.json"));
  const json = await reeve(["convert", "a.reeve.json"], { cwd });
  t.is(json.code, 78);
  t.regex(json.stderr, /^error\[E511\][\s\S]* --> a\.reeve\.json:1:1\n/);
});

test("a file that has the form already is refused in a sentence", async (t) => {
  const cwd = folder(t, { "a.reeve": text });
  t.deepEqual(await reeve(["convert", "a.reeve", "--to", "reeve"], { cwd }), {
    code: 64,
    stdout: "",
    stderr: "reeve: `a.reeve` is already in the format `reeve`\n",
  });
});

test("a missing file is reported in a sentence", async (t) => {
  t.deepEqual(await reeve(["convert", "a.reeve"], { cwd: folder(t) }), {
    code: 66,
    stdout: "",
    stderr: "reeve: `a.reeve` cannot be read: it is not there\n",
  });
});
