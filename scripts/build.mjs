// Builds dist/: the parser from its grammar, everything else with tsc, then the bundled commands. Deletes outputs whose source
// is gone. `--if-changed`: does nothing if no source has changed since the last build.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import peggy from "peggy";
import { bundle, bundlePage } from "./bundle.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
process.chdir(root);

/** The grammar's start rules; a rule that none of them reaches is an error. */
const startRules = ["part", "expression", "tokens"];

/**
 * The grammar consumes lexemes in predicates, which peggy's check for infinite loops cannot see: it would report every
 * repetition. Fuzz tests check termination instead.
 */
const readsInPredicates = {
  use({ passes }) {
    passes.check = passes.check.filter(({ name }) => name !== "reportInfiniteRepetition");
  },
};

/** What the last build was made of. */
const STAMP = "dist/.sources";
const argv = process.argv.slice(2).filter((word) => word !== "--if-changed");
const made = sources();
if (argv.length < process.argv.length - 2 && isBuilt(made)) process.exit(0);
rmSync(STAMP, { force: true });

buildParser("grammar/reeve.peggy", "dist/grammar/reeve.peggy.js");
removeOrphans();
compile();
await bundlePage();
const { bin } = JSON.parse(readFileSync("package.json", "utf8"));
const commands = Object.fromEntries(Object.keys(bin).map((name) => [`cli/${name}`, name]));
await bundle({
  output: join(root, "dist/bundle"),
  entries: commands,
  commands: Object.keys(commands),
});
for (const path of Object.values(bin)) chmodSync(path, 0o755);
writeFileSync(STAMP, made);

/** Name, size and time of every file that a build reads, as a digest. */
function sources() {
  const hash = createHash("sha256");
  const files = globSync([
    "{package-lock,package,tsconfig}.json",
    "{grammar,daemon,plugins,cli,editors,tests,bench,scripts}/**/*.{ts,tsx,js,mjs,json,peggy,html,css}",
  ]);
  for (const file of files.sort()) {
    const { size, mtimeMs } = statSync(file);
    hash.update(`${file}\0${size}\0${mtimeMs}\n`);
  }
  return hash.digest("hex");
}

function isBuilt(stamp) {
  return existsSync(STAMP) && readFileSync(STAMP, "utf8") === stamp;
}

function buildParser(grammar, output) {
  if (!existsSync(grammar)) return;
  const source = readFileSync(grammar, "utf8");
  let problems = 0;
  const sources = [{ source: grammar, text: source }];
  const code = generate();
  if (problems > 0) process.exit(1);
  if (existsSync(output) && readFileSync(output, "utf8") === code) return;
  mkdirSync(dirname(output), { recursive: true });
  writeFileSync(output, code);

  function generate() {
    try {
      return peggy.generate(sources, {
        format: "es",
        output: "source",
        allowedStartRules: startRules,
        plugins: [readsInPredicates],
        error: report,
        warning: report,
      });
    } catch (error) {
      if (typeof error.format !== "function") throw error;
      process.stderr.write(`${error.format(sources)}\n`);
      process.exit(1);
    }
  }

  function report(_stage, message, location) {
    problems += 1;
    const at = location ? `:${location.start.line}:${location.start.column}` : "";
    process.stderr.write(`${grammar}${at}: ${message}\n`);
  }
}

/** A test whose source was deleted must not go on passing. */
function removeOrphans() {
  for (const output of globSync(
    "dist/{grammar,daemon,plugins,cli,editors,tests,bench}/**/*.{js,d.ts,js.map}",
  )) {
    const source = output.slice("dist/".length).replace(/\.(js\.map|js|d\.ts)$/, "");
    if (source.endsWith(".peggy") || source === "cli/web/page") continue;
    if ([".ts", ".tsx", ".js"].some((extension) => existsSync(source + extension))) continue;
    rmSync(output);
    rmSync("dist/tsconfig.tsbuildinfo", { force: true });
  }
}

function compile() {
  const { status } = spawnSync("tsc", ["-b", ...argv], { stdio: "inherit" });
  if (status !== 0) process.exit(status ?? 1);
}
