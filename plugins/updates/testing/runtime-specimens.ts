/** Files that name versions of runtimes, for `managers/edits.sys.test.ts`. */
import { managerOf } from "../managers/index.js";
import { DIGEST } from "./services-specimens.js";

/** Of `Specimen`. */
export const runtimeSpecimens = {
  "versions of runtimes": {
    manager: await managerOf("runtimes"),
    to: { version: "99.98.97", pin: DIGEST },
    names: [
      ...["node", "python", "ruby", "java", "go", "rust", "dotnet-sdk", "pnpm", "yarn", "npm"],
      ...["php", "npm:prettier", "deno", "bun"],
    ],
    files: {
      ".nvmrc": "# größer 🎉\nv22.1.0\n",
      "packages/a/.node-version": "22\n",
      ".python-version": "3.11.4\n3.10.1\n",
      "runtime.txt": "python-3.11.4\n",
      ".ruby-version": "ruby-3.3.6\n",
      ".java-version": "21.0\n",
      ".go-version": "1.22.1\n",
      ".tool-versions": `# größer\nnodejs 22.4.0 20.1.0 # keep\n\tpython\t3.11.4\njava openjdk-21\nruby 3.3.6\ngolang 1.22.1\nrust 1.75.0\ndotnet-core 8.0.404\nphp 8.3.1\nkubectl 1.30.0\n`,
      "mise.toml": `# größer 🎉\n[tools]\nnode = "22.1"\npython = ['3.11', "3.10"]\n"npm:prettier" = "3.1.0"\ndeno = { version = "1.40.0", os = ["linux"] }\nbun = "latest"\nruby = "ref:master"\n\n[env]\nnode = "22.1"\n`,
      ".config/mise/config.toml": `tools = { node = "22.1.0", "core:go" = "1.22.1", bun = "1.1.0" }\n`,
      "go.mod": `module example.test/app\n\ngo 1.21\n\ntoolchain go1.22.1 // größer\n\nrequire example.test/a v1.0.0\n`,
      "rust-toolchain.toml": `[toolchain]\nchannel = "1.75.0" # größer\ncomponents = ["rustfmt"]\n`,
      "crates/x/rust-toolchain": "1.75\n",
      "crates/y/rust-toolchain": "stable\n",
      "global.json": `{ // größer\n  "sdk": { "version": "8.0.404", },\n  "msbuild-sdks": { "A": "1.0.0" }\n}\n`,
      "package.json": `{
  "name": "größer",
  "packageManager": "pnpm@9.1.0",
  "engines": { "node": ">=20" },
  "volta": { "node": "22.1.0", "yarn" : "1.22.1", "extends": "../package.json" },
  "devEngines": {
    "runtime": { "name": "node", "version": "22.1.0" },
    "packageManager": { "name": "npm", "version": "10.1.0" }
  },
  "dependencies": { "pnpm": "9.1.0" }
}
`,
      "docker/Dockerfile": `# größer\nARG PHP=8.3\nARG TAG=22.1.0-slim\nFROM node:22-alpine AS build\nFROM php:\${PHP}-fpm\nFROM node:\${TAG}\nFROM python:3.11-slim@${DIGEST.replaceAll("ab", "cd")}\nFROM alpine:3.18\nFROM node:lts\nFROM mcr.microsoft.com/dotnet/sdk:8.0\nCOPY --from=golang:1.22.1 /a /a\n`,
      "compose.yaml": `services:\n  a:\n    image: "docker.io/library/ruby:3.3-alpine"  # keep\n  b:\n    image: mirror.example.test/library/ruby:3.3.6\n  c: { image: "redis:7" }\n`,
    },
  },
};
