/** Paths in settings: a server drops one that is not there or not of the right kind, so it is worth a word. */
import { stat } from "node:fs/promises";
import { isAbsolute } from "node:path";
import type { Document } from "../document.js";
import type { SettingsFinding } from "../read/finding.js";
import type { PathRule, Server } from "../servers/server.js";

export async function checkPaths(
  document: Document,
  server: Server,
): Promise<readonly SettingsFinding[]> {
  const { values } = document;
  const isSet = (key: string) => !values || typeof values[key] === "string";
  const rules = Object.entries(server.paths).filter(([key]) => isSet(key));
  const root = rules.length === 0 ? undefined : document.tree();
  if (root?.kind !== "object") return [];
  const found = await Promise.all(
    root.members.map(async ({ key, value }): Promise<readonly SettingsFinding[]> => {
      const rule = Object.hasOwn(server.paths, key) ? server.paths[key] : undefined;
      if (!rule || value.kind !== "scalar" || typeof value.value !== "string") return [];
      const wrong = await fault(value.value, rule);
      if (wrong === undefined) return [];
      const { start, end } = value;
      const message = `\`${key}\` ${wrong}; ${server.title} ignores it`;
      return [{ severity: "warning", code: "path", message, span: { start, end } }];
    }),
  );
  return found.flat();
}

async function fault(path: string, { kind, mayBeMissing }: PathRule): Promise<string | undefined> {
  if (path === "") return undefined;
  if (path.startsWith("~"))
    return "begins with `~`, which is not expanded here: write the full path";
  if (!isAbsolute(path)) return "is a relative path";
  const stats = await stat(path).catch(() => undefined);
  if (!stats) return mayBeMissing ? undefined : "names something that is not there";
  if (kind === "file" && stats.isDirectory()) return "is a directory, not a file";
  if (kind === "directory" && !stats.isDirectory()) return "is not a directory";
  return undefined;
}
