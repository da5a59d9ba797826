/** `--deny-read` and `--deny-write`: existing, missing, replaced and linked paths. */
import {
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import test from "ava";
import { awf, outputOf } from "../testing/security/attempts.js";
import { createTestInternet } from "../testing/test-internet.js";

// Starting many sandboxes takes long on a small machine.
test.beforeEach((t) => t.timeout(90_000));

function write(...paths: string[]): void {
  for (const path of paths) {
    mkdirSync(join(path, ".."), { recursive: true });
    writeFileSync(path, "SECRET\n");
  }
}

const flags = (name: string, paths: readonly string[]) => paths.flatMap((path) => [name, path]);

for (const ordinary of [false, true]) {
  const as = ordinary ? "an ordinary user" : "the caller";

  test(`--deny-read shows files and directories empty, wherever they are (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { workspace, home, scratch } = world;
    const shared = join(scratch, "shared");
    const [target, link] = [join(workspace, "target"), join(workspace, "link")];
    const files = [
      join(workspace, "file"),
      join(workspace, "deep/er/file"),
      join(home, "file"),
      join(home, "src/file"),
    ];
    const directories = [join(workspace, "directory"), join(home, "directory")];
    const inside = directories.map((path) => join(path, "file"));
    write(
      ...files,
      ...inside,
      target,
      join(shared, "file"),
      join(workspace, "directory/open/file"),
    );
    symlinkSync("target", link);
    const denied = [...files, ...directories, link, join(shared, "file")];
    const seen = [...files, ...inside, target, link, "/mnt/shared/file", `/host${files[0]}`];
    const { stdout, stderr } = await world.awf(
      [
        ...["--log-level", "error", ...flags("--deny-read", denied), "-v", `${shared}:/mnt/shared`],
        ...["--allow-write", workspace, "--allow-write", join(workspace, "directory/open"), "--"],
        `cat ${seen.join(" ")} 2>/dev/null; cd ${workspace}; { mv file other; ln file again; cat other again; mv deep shallow; } 2>/dev/null; cat shallow/er/file; echo .; cat directory/open/file`,
      ],
      { ordinary },
    );
    t.is(stdout, ".\nSECRET\n", stderr);
  });

  test(`--deny-read hides what appears or is replaced during the run (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { workspace, home } = world;
    const [late, lateDirectory, replaced] = ["late", "directory", "replaced"].map((name) =>
      join(workspace, name),
    ) as [string, string, string];
    const [inHome, link] = [join(home, "src/late"), join(workspace, "link")];
    write(replaced, join(home, "src/other"));
    const denied = [late, lateDirectory, replaced, inHome, link];
    const run = world.start(
      process.execPath,
      [
        ...[awf, "--log-level", "error", ...flags("--deny-read", denied), "--"],
        `cd ${workspace}; echo up; read; while grep -q . late directory/file replaced ${inHome} link elsewhere 2>/dev/null; do sleep 0.05; done; ls late replaced elsewhere | wc -l; ls ${inHome} 2>/dev/null`,
      ],
      { ordinary, stdin: "open" },
    );
    await outputOf(run, "up");
    write(late, join(lateDirectory, "file"), inHome, join(workspace, "elsewhere"));
    write(join(workspace, "new"));
    renameSync(join(workspace, "new"), replaced);
    symlinkSync("elsewhere", link);
    run.child.stdin?.end("\n");
    const { stdout, stderr } = await run.result;
    t.is(stdout, "up\n3\n", stderr);
    t.is(readFileSync(replaced, "utf8"), "SECRET\n", "the host's file stays");
  });

  test(`--deny-write keeps paths that exist, are missing, or are links (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { workspace, home, scratch } = world;
    const shared = join(scratch, "shared");
    const [target, link] = [join(workspace, "target"), join(workspace, "link")];
    const files = [
      join(workspace, "file"),
      join(workspace, "deep/er/file"),
      join(workspace, "directory/file"),
      join(home, "file"),
      join(home, "src/file"),
      join(shared, "file"),
      target,
    ];
    const missing = [join(workspace, "missing"), join(home, "missing"), join(home, "src/missing")];
    write(...files, join(workspace, "free"));
    symlinkSync("target", link);
    const denied = [...files, ...missing, link, join(workspace, "directory")];
    const paths = [...files, ...missing, link].map((path) =>
      path.replace(`${shared}/`, "/mnt/shared/"),
    );
    const attacks = paths.map(
      (path) =>
        `echo evil >> ${path}; echo evil > ${path}~; mv -f ${path}~ ${path}; rm -rf ${path}; echo evil > ${path}`,
    );
    const { stderr } = await world.awf(
      [
        ...[...flags("--deny-write", denied), "-v", `${shared}:/mnt/shared`, "--"],
        `cd ${workspace}; { ${attacks.join("\n")}\nmv deep shallow; mkdir -p deep/er; echo evil > deep/er/file; echo evil > directory/new; } 2>/dev/null; echo kept > free; echo kept > ${home}/free`,
      ],
      { ordinary },
    );
    for (const path of files) t.is(readFileSync(path, "utf8"), "SECRET\n", path);
    for (const path of missing) t.false(existsSync(path), path);
    t.is(readlinkSync(link), "target");
    t.deepEqual(readdirSync(join(workspace, "directory")), ["file"]);
    for (const path of [workspace, home]) t.is(readFileSync(join(path, "free"), "utf8"), "kept\n");
    t.regex(stderr, /or --deny-write names it: \S*workspace\/missing/);
  });

  test(`--deny-write wins over --allow-write and over what contains it (as ${as})`, async (t) => {
    await using world = await createTestInternet({});
    const { workspace, home, scratch } = world;
    const data = join(scratch, "data");
    write(join(workspace, "a"), join(home, "a"), join(data, "a"), join(data, "below/a"));
    const script = `for d in ${workspace} ${home} ${data} ${data}/below /mnt/data; do echo evil > $d/a; echo evil > $d/b; done 2>/dev/null; echo`;
    await world.awf(
      [
        ...flags("--deny-write", [scratch]),
        ...flags("--allow-write", [workspace, home, join(data, "below")]),
        ...["-v", `${data}:/mnt/data:rw`, "--", script],
      ],
      { ordinary },
    );
    for (const directory of [workspace, home, data, join(data, "below")]) {
      t.is(readFileSync(join(directory, "a"), "utf8"), "SECRET\n", directory);
      t.false(existsSync(join(directory, "b")), directory);
    }
  });
}

test("the attributes of a block do the same, relative to its file", async (t) => {
  await using world = await createTestInternet({});
  const { workspace } = world;
  write(join(workspace, "secret"), join(workspace, "kept"), join(workspace, "both"));
  const config = join(world.scratch, "main.reeve");
  writeFileSync(
    config,
    'sandbox "a" {\n  deny_read = ["./workspace/secret"]\n  deny_write = ["./workspace/kept"]\n}\n',
  );
  const { stdout, stderr } = await world.awf([
    ...["--log-level", "error", "--config", config, "--deny-read", join(workspace, "both"), "--"],
    `cd ${workspace}; cat secret both; cat kept; echo evil 2>/dev/null > kept`,
  ]);
  t.is(stdout, "SECRET\n", stderr);
  t.is(readFileSync(join(workspace, "kept"), "utf8"), "SECRET\n");
});

test("--deny-read refuses what the command needs to start", async (t) => {
  await using world = await createTestInternet({});
  const { code, stderr } = await world.awf(["--deny-read", world.scratch, "--", "true"]);
  t.is(code, 1);
  t.is(
    stderr.split("\n").at(-2),
    `[ERROR] The command cannot start without ${world.home}, which is in the unreadable path ${world.scratch}`,
  );
});
