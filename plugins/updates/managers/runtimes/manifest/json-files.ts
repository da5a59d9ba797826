/** Versions in `package.json` and `global.json`. */
import { type JsonDocument, readJson } from "../../../text/json.js";
import { type FoundVersion, spanOf } from "./found.js";

/** The fields `packageManager`, `volta` and `devEngines`. The field `engines` is a range for others and stays. */
export function ofPackageJson(file: string, text: string): readonly FoundVersion[] {
  const json = readJson(file, text);
  return [
    ...packageManager(json),
    ...json
      .texts("volta")
      .filter(({ key }) => key !== "extends")
      .map(({ key, value, range }) => ({ tool: key, value, range, section: "volta" })),
    ...["runtime", "packageManager"].flatMap((kind) => devEngine(json, kind)),
  ];
}

function packageManager(json: JsonDocument): readonly FoundVersion[] {
  const text = json.texts().find(({ key }) => key === "packageManager");
  const [, tool, value] = /^(\w+)@(.+)$/.exec(text?.value ?? "") ?? [];
  if (!text || tool === undefined || value === undefined) return [];
  return [{ tool, section: "packageManager", ...spanOf(value, text.range.end - value.length) }];
}

function devEngine(json: JsonDocument, kind: string): readonly FoundVersion[] {
  const tool = json.value("devEngines", kind, "name");
  const version = json.texts("devEngines", kind).find(({ key }) => key === "version");
  if (typeof tool !== "string" || !version) return [];
  return [{ tool, section: "devEngines", value: version.value, range: version.range }];
}

export const ofGlobalJson = (file: string, text: string): readonly FoundVersion[] =>
  readJson(file, text, { comments: true })
    .texts("sdk")
    .filter(({ key }) => key === "version")
    .map(({ value, range }) => ({ tool: "dotnet-sdk", section: "sdk", value, range }));
