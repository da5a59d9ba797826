/** What the files of runtimes name, and files that cannot be read. */
import test from "ava";
import { repository } from "../../testing/manager-fixture.js";
import type { ManagerSettings } from "../contract.js";
import { runtimes } from "./manager.js";

const none: ManagerSettings = { registries: [] };

interface Form {
  readonly files: Readonly<Record<string, string>>;
  /** `name@current`, or the reason for no source. */
  readonly found: readonly string[];
}
const forms: Readonly<Record<string, Form>> = {
  "a version in another file with the same line": {
    files: { ".nvmrc": "22", ".node-version": "22.3.1", ".tool-versions": "nodejs 22.1.0" },
    found: ["node@22.1.0"],
  },
  "another line is another dependency": {
    files: { ".nvmrc": "22.1.0", Dockerfile: "FROM node:20-alpine\n" },
    found: ["node@22.1.0", "node@20"],
  },
  "names instead of versions": {
    files: {
      ".nvmrc": "lts/jod\n",
      ".ruby-version": "jruby-9.4.0.0\n",
      "rust-toolchain": "stable",
    },
    found: [
      "node is lts/jod, which is no exact version.",
      "ruby is jruby-9.4.0.0, which is no exact version.",
      "rust is stable, which is no exact version.",
    ],
  },
  ranges: {
    files: { "package.json": `{"devEngines":{"runtime":{"name":"node","version":">=22"}}}` },
    found: ["node is >=22, which is no exact version."],
  },
  "tools without a source": {
    files: { ".tool-versions": "kubectl 1.30.0\n" },
    found: ["No source of versions is known for kubectl."],
  },
  "a checksum of Yarn 4": {
    files: { "package.json": `{"packageManager":"yarn@4.1.0+sha224.ab"}` },
    found: ["yarn 4.1.0 has a checksum that only Corepack computes."],
  },
  "images without a version, of other programs, of prereleases and with split numbers": {
    files: {
      Dockerfile:
        "ARG A=22\nFROM node\nFROM node:lts\nFROM acme/node:22\nFROM python:3.13-rc-slim\nFROM node:${A}.1\nFROM ghcr.io/acme/node:20\n",
    },
    found: [],
  },
  "files of other projects": {
    files: { "node_modules/a/.nvmrc": "20", "vendor/b/.ruby-version": "3.0.0" },
    found: [],
  },
  "an empty file": { files: { ".nvmrc": "", ".python-version": "\n# 3\n" }, found: [] },
};
for (const [what, { files, found }] of Object.entries(forms))
  test(`runtimes: ${what}`, (t) => {
    const parsed = runtimes.parse(repository(files), none);
    t.deepEqual(
      parsed.dependencies.map(({ origin, name, current }) =>
        origin.kind === "none" ? origin.why : `${name}@${current}`,
      ),
      [...found],
    );
    t.deepEqual(parsed.broken, []);
  });

const broken: ReadonlyArray<readonly [file: string, text: string, why: string]> = [
  ["package.json", "{", "package.json:1 is not JSON:"],
  ["global.json", "", "global.json:1 is not JSON:"],
  ["mise.toml", "[tools", "mise.toml:1 is not TOML:"],
  ["rust-toolchain.toml", "[toolchain]\nchannel =\n", "rust-toolchain.toml:3 is not TOML:"],
  ["compose.yaml", "a: [", "compose.yaml:1 is not YAML:"],
];
for (const [file, text, why] of broken)
  test(`runtimes: a broken ${file} is reported, other files are read`, (t) => {
    const parsed = runtimes.parse(repository({ [file]: text, ".nvmrc": "22" }), none);
    t.deepEqual(
      parsed.dependencies.map(({ id }) => id),
      ["node@22"],
    );
    t.is(parsed.broken.length, 1);
    t.true(parsed.broken[0]?.why.startsWith(why), parsed.broken[0]?.why);
  });
