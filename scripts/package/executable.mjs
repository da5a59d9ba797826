// The single executable: Node with the files of the program inside, which it writes to the user's cache at its first start.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { copyFiles } from "./files.mjs";

/** Returns the path of the executable in `build`; `stage` has the files of the npm package. */
export function buildExecutable({ build, stage, manifest }) {
  const folder = join(build, "executable");
  const tree = join(folder, "tree");
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  copyFiles(tree, stage);
  copyLicenses(tree, stage);
  const archive = archiveOf(tree);
  writeFileSync(join(folder, "files"), archive);
  const digest = createHash("sha256").update(archive).digest("hex");
  writeFileSync(join(folder, "name"), `${manifest.version}-${digest.slice(0, 16)}`);
  const node = join(folder, "node");
  execFileSync("strip", ["--strip-unneeded", "-o", node, process.execPath]);
  const output = join(build, `reeve-${manifest.version}-linux-${process.arch}`);
  const settings = {
    main: fileURLToPath(new URL("./executable-main.cjs", import.meta.url)),
    output,
    executable: node,
    disableExperimentalSEAWarning: true,
    // The cache of compiled code differs from build to build.
    useCodeCache: false,
    assets: { files: join(folder, "files"), name: join(folder, "name") },
  };
  writeFileSync(join(folder, "sea.json"), JSON.stringify(settings));
  execFileSync(process.execPath, ["--build-sea", join(folder, "sea.json")], {
    stdio: ["ignore", "ignore", "inherit"],
  });
  chmodSync(output, 0o755);
  rmSync(folder, { recursive: true });
  return output;
}

/** Of the project, of the packages in its bundle, and of Node, beside the files that they cover. */
function copyLicenses(tree, stage) {
  const folder = join(tree, "licenses");
  mkdirSync(folder);
  for (const name of ["LICENSE", "THIRD-PARTY-LICENSES.txt"]) {
    cpSync(join(stage, name), join(folder, name));
  }
  const node = createRequire(import.meta.resolve("node/package.json"));
  const own = dirname(node.resolve(`node-linux-${process.arch}/package.json`));
  cpSync(join(own, "LICENSE"), join(folder, "NODE-LICENSE"));
}

/** The length of a list in four bytes, the list, then the files: the list has the name and the size of each. */
function archiveOf(tree) {
  const names = globSync("**/*", { cwd: tree, withFileTypes: true })
    .filter((each) => !each.isDirectory())
    .map((each) => join(each.parentPath, each.name).slice(tree.length + 1))
    .sort();
  const files = names.map((name) => readFileSync(join(tree, name)));
  const list = Buffer.from(JSON.stringify(names.map((name, at) => [name, files[at].length])));
  const length = Buffer.alloc(4);
  length.writeUInt32LE(list.length);
  return Buffer.concat([length, list, ...files]);
}
