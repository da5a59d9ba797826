/** The servers that Reeve knows by name: their data, the file to start with, and the names of files and programs. */
import { readFileSync } from "node:fs";
import test from "ava";
import { needs } from "../../../tests/support/needs.js";
import { programPath, programs } from "../../../tests/support/programs.js";
import { openDocument } from "../document.js";
import { Checker } from "../schema/checker.js";
import { starterText } from "../starter.js";
import {
  knownServers,
  loadServer,
  loadServers,
  serverOfProgram,
  settingsFileStem,
} from "./known.js";
import { schemaProperties } from "./server.js";

test("every server of the list has settings, a title and its own name", async (t) => {
  const servers = await loadServers();
  t.deepEqual(servers.map(({ name }) => name).sort(), knownServers);
  for (const server of servers) {
    t.true(schemaProperties(server).size > 0, server.name);
    t.regex(server.title, /\S/);
  }
  t.is(await loadServer("constructor"), undefined);
});

for (const name of knownServers) {
  test(`the file to start with sets nothing, and each line of it is valid: ${name}`, async (t) => {
    const server = await loadServer(name);
    if (!server) return t.fail();
    const text = starterText(server);
    const read = (content: string) =>
      openDocument("/x.jsonc", Buffer.from(content), "jsonc", new Checker(server));
    t.deepEqual(read(text).values, {});
    const all = text.replace(/^ {2}\/\/ (?="[^"]*": )/gm, "  ");
    const { findings, values } = read(all);
    t.deepEqual(findings, []);
    t.deepEqual(Object.keys(values ?? {}), [...schemaProperties(server).keys()]);
  });
}

/** What a server reads of a key: its last part, or the part before it where that is a name of its own. */
for (const [name, file] of [
  ["pyright", "pyright/dist/pyright-internal.js"],
  ["yaml", "yaml-language-server/README.md"],
] as const) {
  needs(test, programs)(`the installed server knows each setting: ${name}`, async (t) => {
    const code = readFileSync(await programPath(file), "utf8");
    const server = await loadServer(name);
    const keys = [...schemaProperties(server ?? t.fail() ?? ({} as never)).keys()];
    const own = keys.filter((key) => !/^(editor|http)\./.test(key));
    t.deepEqual(
      own.filter((key) => !code.includes(key.split(".").at(-1) ?? key)),
      [],
    );
  });
}

test("programs have the names of their servers, and files of common names say more", (t) => {
  for (const [program, server] of [
    ["pyright-langserver", "pyright"],
    ["vscode-css-language-server", "css"],
    ["clangd", "clangd"],
    ["constructor", "constructor"],
  ] as const) {
    t.is(serverOfProgram(program), server);
  }
  t.is(settingsFileStem("pyright"), "pyright");
  t.is(settingsFileStem("yaml"), "yaml.settings");
});
