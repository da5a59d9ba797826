/** Elm: elm.json of packages and of applications. An application's elm.json pins everything, so it is its own lock file. */
import { type JsonDocument, readJson } from "../../text/json.js";
import type { Tools, UpdateEdit, UpdateRequest } from "../contract.js";
import { defineManager } from "../define.js";
import { editManifests } from "../edit.js";
import {
  ELM_SECTIONS,
  elmParse,
  elmRegistry,
  elmWanted,
  manifestFile,
  withMembers,
} from "./manifest.js";
import { elmAvailable } from "./registry.js";
import { closure, type ResolveInput, solve, solved, type Versions } from "./resolve.js";
import { compareElmNames, elmRuns, elmVersioning, raisedElm } from "./versions.js";

export const elm = defineManager({
  id: "elm",
  missing: "Repo must contain an elm.json.",
  versioning: elmVersioning,
  filesToRead: elmWanted,
  parse: elmParse,
  normalize: (name) => name.trim().replace(/@.*$/, ""),
  available: elmAvailable,
  runs: ({ runtime }, project) => elmRuns(project.elm, runtime?.elm),
  isLibrary: async ({ runtime }) => runtime.type === "package",
  source: async ({ name }) => ({ url: `https://github.com/${name}` }),
  requirement: ({ requirement }, { version }, strategy) =>
    raisedElm(requirement, version, strategy !== "bump_versions"),
  update,
});

async function update(
  { sources, settings, changes }: UpdateRequest,
  { lookup }: Tools,
): Promise<Pick<UpdateEdit, "files"> & Partial<UpdateEdit>> {
  const file = manifestFile(sources);
  const files = new Map(editManifests(sources.files, changes, (value) => value));
  const text = files.get(file);
  if (text === undefined) return { files };
  const json = readJson(file, text);
  const elmVersion = String(json.value("elm-version") ?? "");
  const input = { registry: elmRegistry(settings), elm: elmVersion, lookup };
  if (json.value("type") === "application") {
    files.set(file, await withIndirect(file, text, json, input));
    return { files, lock: { kind: "refreshed", tier: "in_process", by: "the graph of elm.json" } };
  }
  // A new range may allow only versions that conflict with the rest.
  const goals = new Map(ELM_SECTIONS.flatMap((section) => [...versionsIn(json, section)]));
  for (const { dependency, to } of changes) goals.set(dependency.name, to.version);
  solved(await solve(goals, input));
  return { files };
}

const versionsIn = (json: JsonDocument, ...path: readonly string[]): Versions =>
  new Map(json.texts(...path).map(({ key, value }) => [key, value]));

/**
 * Resolves indirect dependencies for the new direct ones, as `elm install` does: all versions stay, or else all indirect
 * dependencies become the newest. Unlike Elm, this removes indirect dependencies that are no longer used.
 * @throws UpdatesError `does_not_resolve`
 */
async function withIndirect(
  file: string,
  text: string,
  json: JsonDocument,
  input: ResolveInput,
): Promise<string> {
  const [direct, test] = ELM_SECTIONS.map((section) => versionsIn(json, section, "direct"));
  const fixed = new Map([...(test ?? []), ...(direct ?? [])]);
  const known = ELM_SECTIONS.flatMap((section) => [...versionsIn(json, section, "indirect")]);
  const unchanged = await solve(new Map([...known, ...fixed]), input);
  const versions = "versions" in unchanged ? unchanged.versions : solved(await solve(fixed, input));
  const used = await closure(fixed.keys(), versions, input);
  const inProgram = await closure(direct?.keys() ?? [], versions, input);
  const pick = (isWanted: (name: string) => boolean): Versions =>
    new Map(
      [...versions]
        .filter(([name]) => isWanted(name))
        .toSorted(([a], [b]) => compareElmNames(a, b)),
    );
  // A direct test dependency that the program needs indirectly is in both sections.
  const indirect = pick((name) => inProgram.has(name) && !direct?.has(name));
  const indirectTest = pick((name) => used.has(name) && !inProgram.has(name) && !fixed.has(name));
  const once = withMembers(file, text, ["dependencies", "indirect"], indirect);
  return withMembers(file, once, ["test-dependencies", "indirect"], indirectTest);
}
