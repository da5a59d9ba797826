/** Reads composer.json and composer.lock. */
import { UpdatesError } from "../../../errors.js";
import { readJson } from "../../../text/json.js";
import { withoutMark } from "../../../text/text.js";
import type { RepositoryPath } from "../../contract.js";

export type JsonObject = Readonly<Record<string, unknown>>;

export const jsonObject = (value: unknown): JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as JsonObject) : {};

export const textsOf = (value: unknown): ReadonlyMap<string, string> =>
  new Map(
    Object.entries(jsonObject(value)).flatMap(([key, text]) =>
      typeof text === "string" ? [[key.toLowerCase(), text]] : [],
    ),
  );

export const SECTIONS = ["require", "require-dev"] as const;

/** Platform packages: `php`, `ext-json`, `composer-runtime-api`. */
export const isPlatform = (name: string): boolean =>
  /^(php(-64bit|-ipv6|-zts|-debug)?|hhvm|(ext|lib)-.+|composer(-(plugin|runtime)-api)?)$/i.test(
    name,
  );

/** A package in a lock. */
export interface LockedPackage {
  readonly name: string;
  readonly version: string;
  readonly development: boolean;
  readonly entry: JsonObject;
}

/** @throws UpdatesError `manifest_unreadable` */
export function readComposerLock(file: RepositoryPath, text: string): readonly LockedPackage[] {
  const json = lockDocument(file, text);
  return packagesOf(json, "packages", false).concat(packagesOf(json, "packages-dev", true));
}

/** Parses without positions, since locks are long. @throws UpdatesError `manifest_unreadable` */
export function lockDocument(file: RepositoryPath, text: string): JsonObject {
  try {
    return jsonObject(JSON.parse(withoutMark(text).text));
  } catch {
    // Throws with the position; a text that only this reader accepts is not a lock.
    readJson(file, text);
    throw new UpdatesError("manifest_unreadable", `${file} is not JSON.`);
  }
}

const packagesOf = (json: JsonObject, key: string, development: boolean): LockedPackage[] => {
  const list = json[key];
  return (Array.isArray(list) ? list : []).flatMap((one) => {
    const entry = jsonObject(one);
    const { name, version } = entry;
    if (typeof name !== "string" || typeof version !== "string") return [];
    return [{ name: name.toLowerCase(), version, development, entry }];
  });
};
