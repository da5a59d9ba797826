// Generates the parser of the tree-sitter grammar, and its WebAssembly: node scripts/tree-sitter.mjs
// Needs root, mmdebstrap (Debian 13's tree-sitter runs in a root of its own), clang-14 and lld-14.
import { execFileSync } from "node:child_process";
import { createHash } from "node:crypto";
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const home = "editors/tree-sitter";
const work = mkdtempSync(join(tmpdir(), "reeve-tree-sitter-"));
const run = (program, ...parameters) => execFileSync(program, parameters, { stdio: "inherit" });

/** What the parser and the WebAssembly are made of: they belong to it. */
const sources = ["grammar.js", "src/scanner.c", "src/parser.c"];

/** Declarations that the generated C includes and no library defines here. */
const headers = {
  "stdint.h":
    "#pragma once\ntypedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned uint32_t;\n" +
    "typedef signed char int8_t; typedef short int16_t; typedef int int32_t;\n",
  "stdbool.h": "#pragma once\n#define bool _Bool\n#define true 1\n#define false 0\n",
  "stdlib.h":
    "#pragma once\n#ifndef NULL\n#define NULL ((void *)0)\n#endif\ntypedef unsigned long size_t;\n",
  "string.h": "#pragma once\n",
};

try {
  const root = join(work, "root");
  run("mmdebstrap", "--variant=apt", "--include=tree-sitter-cli,nodejs", "trixie", root);
  mkdirSync(join(root, "g"));
  cpSync(join(home, "grammar.js"), join(root, "g/grammar.js"));
  run("chroot", root, "sh", "-c", "cd /g && tree-sitter generate --abi 14");
  cpSync(join(root, "g/src/parser.c"), join(home, "src/parser.c"));
  cpSync(join(root, "g/src/tree_sitter/parser.h"), join(home, "src/tree_sitter/parser.h"));

  const include = join(work, "include");
  mkdirSync(include);
  for (const [name, text] of Object.entries(headers)) writeFileSync(join(include, name), text);
  const objects = ["parser", "scanner"].map((name) => {
    const object = join(work, `${name}.o`);
    const flags = ["--target=wasm32-unknown-emscripten", "-ffreestanding", "-nostdinc", "-fPIC"];
    const paths = ["-I", include, "-I", join(home, "src")];
    run("clang-14", ...flags, "-Os", ...paths, "-c", join(home, `src/${name}.c`), "-o", object);
    return object;
  });
  const names = ["create", "destroy", "serialize", "deserialize", "scan"];
  run(
    "wasm-ld-14",
    ...["--shared", "--experimental-pic", "--no-entry", "--allow-undefined"],
    "--export=tree_sitter_reeve",
    ...names.map((name) => `--export=tree_sitter_reeve_external_scanner_${name}`),
    ...objects,
    ...["-o", join(home, "tree-sitter-reeve.wasm")],
  );
  const digest = createHash("sha256");
  for (const file of sources) digest.update(readFileSync(join(home, file)));
  writeFileSync(join(home, "digest"), `${digest.digest("hex")}\n`);
} finally {
  rmSync(work, { recursive: true, force: true });
}
