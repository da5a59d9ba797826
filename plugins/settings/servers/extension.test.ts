/** An extension's manifest as a schema: keys, sections, checks, pushes, and the file to start with. */
import test from "ava";
import fc from "fast-check";
import { openDocument } from "../document.js";
import { Checker } from "../schema/checker.js";
import { starterText } from "../starter.js";
import { notice, reply, request, talk } from "../testing/talk.js";
import { serverOf, unknownSections } from "./extension.js";
import type { JsonSchema } from "./server.js";

/** Sections, groups and keywords as extensions have them. */
const manifest: JsonSchema = {
  name: "vscode-pyright",
  displayName: "Pyright",
  version: "1.2.3",
  contributes: {
    languages: [],
    configuration: [
      {
        title: "Pyright",
        properties: {
          "pyright.disableLanguageServices": {
            type: "boolean",
            default: false,
            scope: "resource",
            markdownDescription: "No *services*.",
          },
        },
      },
      {
        properties: {
          "python.analysis.typeCheckingMode": {
            type: "string",
            enum: ["off", "basic", "strict"],
            default: "basic",
            description: "How much\n is checked.",
          },
          "python.analysis.exclude": { type: "array", items: { $ref: "vscode://schemas/x" } },
        },
      },
    ],
  },
};
const server = serverOf("pyright", manifest);

const verdicts = (text: string) =>
  openDocument("/p.jsonc", Buffer.from(text), "jsonc", new Checker(server)).findings.map(
    ({ severity, message }) => `${severity} ${message}`,
  );

test("keys begin with their sections, and are checked with dots or as objects", (t) => {
  t.like(server, { title: "Pyright", section: "" });
  t.deepEqual(
    verdicts('{"python": {"analysis": {"typeCheckingMode": "off", "exclude": ["x"]}}}'),
    [],
  );
  t.deepEqual(verdicts('{"python.analysis.typeCheckingMode": "of", "pyright.x": 1}'), [
    'error `python.analysis.typeCheckingMode` must be "off", "basic" or "strict", not the text "of"',
    "warning Pyright has no setting `pyright.x` and ignores it",
  ]);
});

test("a section of the block selects its keys", (t) => {
  const one = serverOf("pyright", manifest, "python.analysis");
  t.is(one.section, "python.analysis");
  t.deepEqual(Object.keys(one.schema.properties ?? {}), ["typeCheckingMode", "exclude"]);
});

test("several sections of the block select their keys, which stay whole", (t) => {
  const both = serverOf("pyright", manifest, ["pyright", "python.analysis"]);
  t.is(both.section, "");
  t.deepEqual(Object.keys(both.schema.properties ?? {}), [
    "pyright.disableLanguageServices",
    "python.analysis.typeCheckingMode",
    "python.analysis.exclude",
  ]);
  const nested = { properties: { python: { type: "object" }, pyright: {}, editor: {} } } as const;
  const plain = serverOf("pyright", nested, ["python", "pyright"]);
  t.is(plain.section, "");
  t.deepEqual(Object.keys(plain.schema.properties ?? {}), ["python", "pyright"]);
  t.deepEqual(unknownSections(server, ["python", "pyrite"]), ["pyrite"]);
  t.deepEqual(unknownSections(server, "pyrite"), ["pyrite"]);
  t.deepEqual(unknownSections(serverOf("x", nested), "python"), []);
});

test("each section is pushed and answered, and the editor's other settings stay", (t) => {
  const at = talk();
  at.session.deliver({
    name: "pyright",
    version: 1,
    server,
    layers: [{ origin: "file", values: { "python.analysis.typeCheckingMode": "off" } }],
  });
  at.editor(request(1, "initialize", { capabilities: { workspace: { configuration: true } } }));
  at.server(reply(1, {}));
  at.editor(notice("initialized"));
  at.atServer();
  const ask = (...sections: readonly string[]) => {
    const items = sections.map((section) => ({ section }));
    at.server(request(2, "workspace/configuration", { items }));
  };
  ask("python", "pyright", "python.analysis", "editor");
  at.editor(reply(2, [{ pythonPath: "/py" }, { disableLanguageServices: true }, null, { x: 1 }]));
  const analysis = { typeCheckingMode: "off" };
  t.deepEqual(at.atServer()[0].result, [
    { pythonPath: "/py", analysis },
    { disableLanguageServices: true },
    analysis,
    { x: 1 },
  ]);
  at.editor(
    notice("workspace/didChangeConfiguration", {
      settings: { editor: { x: 1 }, python: { analysis: { exclude: ["y"] } } },
    }),
  );
  t.deepEqual(at.atServer()[0].params.settings, {
    editor: { x: 1 },
    python: { analysis: { ...analysis, exclude: ["y"] } },
    pyright: { disableLanguageServices: false },
  });
});

test("any manifest gives a server or is a schema, and no text leaves its comment", (t) => {
  const property = fc.record(
    {
      type: fc.constantFrom("string", "boolean", "array"),
      description: fc.string(),
      default: fc.jsonValue(),
      $ref: fc.string(),
    },
    { requiredKeys: [] },
  );
  const group = fc.record(
    { properties: fc.dictionary(fc.string(), fc.oneof(property, fc.jsonValue())) },
    { requiredKeys: [] },
  );
  const configuration = fc.oneof(group, fc.array(fc.oneof(group, fc.jsonValue())), fc.jsonValue());
  fc.assert(
    fc.property(configuration, (each) => {
      const made = serverOf("x", { contributes: { configuration: each } } as JsonSchema);
      const text = starterText(made);
      t.true(
        text.split("\n").every((line) => /^( {2}\/\/ |\/\/ |[{}]?$)/.test(line)),
        text,
      );
    }),
  );
});
