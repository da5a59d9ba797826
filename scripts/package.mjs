// `npm run package`: makes what people install, in build/: the npm package with its code bundled, the Debian package, the
// single executable, the container image, a list of the parts of each (SBOM), the licenses of what is bundled, and SHA256SUMS.
// The same sources give the same bytes. `node scripts/package.mjs FOLDER KINDS none` makes some, elsewhere, and compresses little:
// KINDS is `npm`, which the others are made of, or `executable,debian,image`, or some of these. One more word is the FOLDER of an
// earlier call, whose npm package is taken.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { basename, dirname, join, relative, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { bundle } from "./bundle.mjs";
import { buildDebian } from "./package/debian.mjs";
import { buildExecutable } from "./package/executable.mjs";
import { buildImage } from "./package/image.mjs";
import { bundledPackages, licenses, sbom, sbomWithNode } from "./package/parts.mjs";
import { copyTypes } from "./package/types.mjs";

const root = join(dirname(fileURLToPath(import.meta.url)), "..");
const [, , folder = join(root, "build"), kinds = "executable,debian,image", ...rest] = process.argv;
const [compression = "xz", earlier] = rest;
const build = resolve(folder);
process.chdir(root);
// The modes of files are a part of some artifacts.
process.umask(0o022);
const manifest = JSON.parse(readFileSync("package.json", "utf8"));
const stage = join(resolve(earlier ?? build), "npm");

/** Loads its native library by itself, so it cannot be bundled. */
const NATIVE = ["koffi"];
/** Read at run time, beside the bundle. */
const FILES = [
  "README.md",
  "LICENSE",
  "CHANGELOG.md",
  "cli/starter",
  "daemon/systemd/reeve.service",
];

const commands = Object.keys(manifest.bin).map((name) => `cli/${name}`);
const exported = Object.values(manifest.exports).filter((entry) => typeof entry === "object");
mkdirSync(build, { recursive: true });
const stem = `reeve-${manifest.version}`;
const made = [join(build, `${stem}.tgz`)];
if (earlier === undefined) await makeNpm();
else cpSync(join(resolve(earlier), `${stem}.tgz`), made[0]);
cpSync(join(stage, "sbom.cdx.json"), join(build, `${stem}.cdx.json`));
const npmParts = readFileSync(join(stage, "sbom.cdx.json"), "utf8");
const partsWith = (packages) => sbomWithNode(npmParts, packages);
const kindsWanted = kinds.split(",");
const common = { build, stage, manifest, seconds: Number(lastCommit("%ct")) };
if (kindsWanted.includes("executable")) {
  made.push(buildExecutable(common));
  writeFileSync(join(build, `${stem}-linux-${process.arch}.cdx.json`), partsWith([]));
}
if (kindsWanted.includes("debian")) {
  made.push(await buildDebian({ ...common, compression, parts: partsWith([]) }));
}
if (kindsWanted.includes("image")) {
  const level = compression === "none" ? 1 : 6;
  const image = await buildImage({ ...common, level, partsWith, revision: lastCommit("%H") });
  made.push(image.output);
  writeFileSync(join(build, `${stem}-image.cdx.json`), image.parts);
}
const sums = globSync(["*.{tgz,json,deb}", "*-linux-*"], { cwd: build })
  .sort()
  .map((name) => {
    const digest = createHash("sha256")
      .update(readFileSync(join(build, name)))
      .digest("hex");
    return `${digest}  ${basename(name)}\n`;
  });
writeFileSync(join(build, "SHA256SUMS"), sums.join(""));
const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;
for (const file of made) process.stdout.write(`${file}: ${megabytes(statSync(file).size)}\n`);

/** The archive that npm publishes, and its files in `stage`. */
async function makeNpm() {
  rmSync(stage, { recursive: true, force: true });
  const modules = [
    ...commands,
    ...exported.map((entry) => moduleOf(entry.default)),
    ...globSync(["plugins/*/plugin.js", "plugins/*/cli/{index,manifest}.js"], { cwd: "dist" }).map(
      (path) => path.replace(/\.js$/, ""),
    ),
    ...startedModules(),
  ];
  const inputs = await bundle({
    output: join(stage, "dist"),
    files: join(stage, "dist"),
    entries: Object.fromEntries(modules.sort().map((module) => [module, module])),
    commands,
  });
  for (const path of FILES) {
    mkdirSync(dirname(join(stage, path)), { recursive: true });
    cpSync(path, join(stage, path), { recursive: true });
  }
  const typePackages = copyTypes(
    exported.map((entry) => entry.types),
    stage,
  );
  const packages = bundledPackages([...inputs, ...typePackages]);
  writeFileSync(join(stage, "THIRD-PARTY-LICENSES.txt"), licenses(packages));
  writeFileSync(join(stage, "sbom.cdx.json"), sbom(manifest, packages, NATIVE));
  writeFileSync(join(stage, "package.json"), `${JSON.stringify(packageManifest(), null, 2)}\n`);
  execFileSync("npm", ["pack", "--ignore-scripts", "--pack-destination", build], {
    cwd: stage,
    stdio: ["ignore", "ignore", "inherit"],
  });
}

function lastCommit(format) {
  return execFileSync("git", ["log", "-1", `--format=${format}`], { encoding: "utf8" }).trim();
}

function moduleOf(path) {
  return relative("dist", path).replace(/\.js$/, "");
}

/** Modules that code starts as a worker or a process, or hands to one: they have an address of their own. */
function startedModules() {
  const found = new Set();
  for (const path of globSync("{cli,daemon,grammar,plugins}/**/*.js", { cwd: "dist" })) {
    if (/\.test\.js$|(^|\/)testing\//.test(path)) continue;
    const text = readFileSync(join("dist", path), "utf8");
    for (const [, way] of text.matchAll(/new URL\("([^"]+\.js)", import\.meta\.url\)/g)) {
      found.add(moduleOf(resolve("dist", dirname(path), way)));
    }
  }
  return [...found].filter((module) => !commands.includes(module));
}

function packageManifest() {
  const { name, version, description, license, type, engines, repository } = manifest;
  const bin = Object.fromEntries(
    Object.keys(manifest.bin).map((command) => [command, `dist/cli/${command}.js`]),
  );
  const dependencies = Object.fromEntries(
    NATIVE.map((each) => [each, manifest.dependencies[each]]),
  );
  return {
    ...{ name, version, description, license, type, engines, repository },
    ...{ bin, exports: manifest.exports, dependencies },
  };
}
