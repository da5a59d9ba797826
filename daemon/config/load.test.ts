import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { load } from "./load.js";
import type { BoundCatalog, Loaded } from "./program.js";
import { catalog } from "./testing/catalog.js";

/** A directory with these files, gone after the test. */
function directoryWith(t: ExecutionContext, files: Readonly<Record<string, string>>): string {
  const directory = mkdtempSync(join(tmpdir(), "reeve-load-"));
  t.teardown(() => rmSync(directory, { recursive: true, force: true }));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  return directory;
}

const at = (directory: string, options = {}): Promise<Loaded> =>
  load(join(directory, "main.reeve"), { catalog, ...options });
const codes = ({ diagnostics }: Loaded): readonly string[] => diagnostics.map(({ code }) => code);

test("a missing root file is a complaint, never an empty program", async (t) => {
  const loaded = await at(directoryWith(t, {}));
  t.is(loaded.program, undefined);
  t.deepEqual(codes(loaded), ["E505"]);
  t.is(loaded.watch.length, 1);
});

test("an empty file is an empty program", async (t) => {
  const { program } = await at(directoryWith(t, { "main.reeve": "" }));
  t.is(program?.blocks.size, 0);
});

test("everything to watch is named, also when there are errors", async (t) => {
  const directory = directoryWith(t, {
    "main.reeve":
      'import "./teams/*.reeve"\nimport "./lib.reeve"\nlet a = file("notes.txt")\nlet b = file("gone.txt")\n',
    "teams/a.reeve": "",
    "lib.reeve": "",
    "notes.txt": "x",
  });
  const { watch, program } = await at(directory);
  t.is(program, undefined);
  const names = [
    "main.reeve",
    "teams/*.reeve",
    "teams/a.reeve",
    "lib.reeve",
    "notes.txt",
    "gone.txt",
  ];
  t.deepEqual([...watch].sort(), names.map((name) => join(directory, name)).sort());
});

test("inputs besides the sources are named, with what they were", async (t) => {
  const directory = directoryWith(t, {
    "main.reeve":
      'import "./teams/*.reeve"\nlet a = file("notes.txt")\nlet b = env("REGION", default = "x")\nlet c = env("NOT_SET", default = "x")\nlet s = secret("env:TOKEN")\nlet d = try(file("gone.txt"), "")\n',
    "notes.txt": "x",
  });
  const { program } = await at(directory, { environment: { REGION: "eu" } });
  const named = program?.inputs.map((input) => {
    if (input.kind === "secret") return input;
    const { hash, ...rest } = input;
    return { ...rest, there: hash !== undefined };
  });
  t.deepEqual(
    named?.sort((x, y) => (JSON.stringify(x) < JSON.stringify(y) ? -1 : 1)),
    [
      { kind: "environment", name: "NOT_SET", there: false },
      { kind: "environment", name: "REGION", there: true },
      { kind: "file", path: join(directory, "gone.txt"), there: false },
      { kind: "file", path: join(directory, "notes.txt"), there: true },
      { kind: "glob", pattern: join(directory, "teams/*.reeve"), there: true },
      { kind: "secret", reference: "env:TOKEN" },
    ],
  );
});

test("the source hash follows sources and inputs, and nothing else", async (t) => {
  const files = {
    "main.reeve": 'let a = file("a.txt")\nlet b = env("B", default = "")\n',
    "a.txt": "1",
  };
  const directory = directoryWith(t, files);
  const hash = async (options = {}) => (await at(directory, options)).program?.sourceHash;
  const first = await hash({ environment: {} });
  t.is(await hash({ environment: {} }), first);
  t.is(await hash({ environment: { OTHER: "x" } }), first);
  t.not(await hash({ environment: { B: "x" } }), first);
  writeFileSync(join(directory, "a.txt"), "2");
  t.not(await hash({ environment: {} }), first);
  writeFileSync(join(directory, "a.txt"), "1");
  t.is(await hash({ environment: {} }), first);
  writeFileSync(join(directory, "main.reeve"), `${files["main.reeve"]}# more\n`);
  t.not(await hash({ environment: {} }), first);
});

test("a link out of the directory is not followed, unless the configuration says so", async (t) => {
  const outside = directoryWith(t, { "secret.txt": "hunter2", "more.reeve": "" });
  const directory = directoryWith(t, {
    "main.reeve": 'let a = file("link.txt")\nimport "./link.reeve"\n',
  });
  symlinkSync(join(outside, "secret.txt"), join(directory, "link.txt"));
  symlinkSync(join(outside, "more.reeve"), join(directory, "link.reeve"));
  t.deepEqual(codes(await at(directory)), ["E502", "E502"]);
  writeFileSync(
    join(directory, "main.reeve"),
    `daemon { allow_paths = ["${outside}"] }\nlet a = file("link.txt")\nimport "./link.reeve"\nlet b = file("${outside}/secret.txt")\n`,
  );
  t.deepEqual(codes(await at(directory)), []);
});

test("a directory that is itself a link is the directory it leads to", async (t) => {
  const real = directoryWith(t, { "main.reeve": 'let a = file("a.txt")\n', "a.txt": "x" });
  const links = directoryWith(t, {});
  symlinkSync(real, join(links, "here"));
  t.deepEqual(codes(await at(join(links, "here"))), []);
});

test("what an editor has not saved replaces what is on disk", async (t) => {
  const directory = directoryWith(t, { "main.reeve": 'import "./a.reeve"\n', "a.reeve": "" });
  const overlay = new Map([[join(directory, "a.reeve"), 'sandbox "unsaved" {}\n']]);
  const { program } = await at(directory, { overlay });
  t.deepEqual([...(program?.blocks.keys() ?? [])], ["sandbox.unsaved"]);
});

test("files imported by a pattern come in the order of their names", async (t) => {
  const names = ["c", "a", "b"];
  const files = Object.fromEntries(
    names.map((name) => [`parts/${name}.reeve`, `sandbox "${name}" {}\n`]),
  );
  const directory = directoryWith(t, { "main.reeve": 'import "./parts/*.reeve"\n', ...files });
  const { program } = await at(directory);
  t.deepEqual([...(program?.blocks.keys() ?? [])], ["sandbox.a", "sandbox.b", "sandbox.c"]);
});

test("bytes that are no text, and too many of them, are complaints", async (t) => {
  const directory = directoryWith(t, { "main.reeve": "# x\n" });
  writeFileSync(join(directory, "main.reeve"), new Uint8Array([0xff, 0xfe, 0x00]));
  t.deepEqual(codes(await at(directory)), ["E506"]);
  writeFileSync(join(directory, "main.reeve"), `#${"x".repeat(2 * 1024 * 1024)}\n`);
  t.deepEqual(codes(await at(directory)), ["E406"]);
  rmSync(join(directory, "main.reeve"));
  mkdirSync(join(directory, "main.reeve"));
  t.deepEqual(codes(await at(directory)), ["E507"]);
});

test("line ends and byte order marks of other systems make no difference", async (t) => {
  const text = '\u{feff}sandbox "a" {\r\n  memory = 1GiB\r\n}\r\n';
  const { program, diagnostics } = await at(directoryWith(t, { "main.reeve": text }));
  t.deepEqual(diagnostics, []);
  t.is(program?.blocks.get("sandbox.a")?.values.memory, 1024 ** 3);
});

test("an input that names an input that names an input is followed", async (t) => {
  const directory = directoryWith(t, {
    "main.reeve": 'let a = file(file(env("NAME")))\nsettings "x" { schema = let.a; watch = [] }\n',
    "one.txt": "two.txt",
    "two.txt": "found",
  });
  const { program } = await at(directory, { environment: { NAME: "one.txt" } });
  t.is(program?.blocks.get("settings.x")?.values.schema, "found");
});

test("plugins are bound once for a load, with what is declared", async (t) => {
  const declared: string[][] = [];
  const counting = {
    bind: async (
      declarations: Parameters<typeof catalog.bind>[0],
      root: string,
    ): Promise<BoundCatalog> => {
      declared.push(declarations.map(({ name }) => name));
      return catalog.bind(declarations, root);
    },
  };
  const directory = directoryWith(t, {
    "main.reeve": 'import "./p.reeve"\nlet a = acme.initials("Ada Lovelace")\n',
    "p.reeve": 'plugin "acme" { source = "npm:acme"; version = env("V", default = "1") }\n',
  });
  const { program } = await load(join(directory, "main.reeve"), { catalog: counting });
  t.deepEqual(declared, [["acme"]]);
  t.like(program?.declarations[0], {
    name: "acme",
    source: "npm:acme",
    version: "1",
    isolation: undefined,
  });
});

test("the daemon's settings are taken from its block, the rest by default", async (t) => {
  const directory = directoryWith(t, {
    "main.reeve":
      'daemon {\n  settle = 50ms\n  allow_paths = ["./x"]\n  runs { output = 1MiB }\n}\n',
  });
  const { program } = await at(directory);
  t.deepEqual(program?.daemon, {
    language: 1,
    logLevel: "info",
    settle: 50,
    probation: 10_000,
    drainTimeout: 30_000,
    store: undefined,
    name: undefined,
    lease: 30_000,
    allowPaths: [join(directory, "x")],
    runs: { keep: 10_000, age: 30 * 86_400_000, output: 1024 * 1024, total: 256 * 1024 * 1024 },
  });
  const plain = await at(directoryWith(t, { "main.reeve": "" }));
  const empty = await at(directoryWith(t, { "main.reeve": "daemon {}\n" }));
  t.deepEqual(plain.program?.daemon, empty.program?.daemon);
});
