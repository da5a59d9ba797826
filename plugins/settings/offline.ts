/** What can be asked about settings files without a daemon. */
import { constants, readFileSync, statSync } from "node:fs";
import { openDocument } from "./document.js";
import { dialectOf, type JsonDialect } from "./read/dialect.js";
import type { SettingsFinding } from "./read/finding.js";
import { MAX_BYTES } from "./read/read.js";
import { checkPaths } from "./schema/check-paths.js";
import { Checker } from "./schema/checker.js";
import { findServer } from "./server-schema.js";

export { SettingsServer } from "./editor/server.js";
export type { SettingsSnapshot, VersionView } from "./effective/api.js";
export { NotAFrame, RpcFrameReader } from "./proxy/frames.js";
export type { SettingsPush } from "./proxy/layers.js";
export { runProxy } from "./proxy/run.js";
export type { PushTarget } from "./push-targets.js";
export { DIALECTS } from "./read/dialect.js";
export type { SettingsFinding } from "./read/finding.js";
export { Checker, nullable } from "./schema/checker.js";
export { InvalidServer } from "./server-schema.js";
export {
  knownServers,
  loadServer,
  loadServers,
  serverOfProgram,
  settingsFileStem,
} from "./servers/known.js";
export { type Server, schemaProperties } from "./servers/server.js";

export interface CheckedFile {
  readonly path: string;
  /** What spans are about; empty where the file cannot be read. */
  readonly text: string;
  readonly findings: readonly SettingsFinding[];
}

/**
 * By a name that Reeve knows, or by the path of a JSON Schema.
 * @throws Unfit with a sentence where there is none
 */
export async function checkerFor(schema: string, directory: string): Promise<Checker> {
  return new Checker(await findServer(schema, directory));
}

/** Everything that is wrong with one file. Never rejects. */
export async function checkFile(
  path: string,
  checker: Checker,
  dialect: JsonDialect = dialectOf(path),
): Promise<CheckedFile> {
  const content = contentOf(path);
  if (typeof content === "string") {
    const finding: SettingsFinding = { severity: "error", code: "unreadable", message: content };
    return { path, text: "", findings: [finding] };
  }
  const document = openDocument(path, content, dialect, checker);
  const paths = await checkPaths(document, checker.server);
  return { path, text: document.text, findings: [...document.findings, ...paths] };
}

/** Its bytes, or why there are none. Only a regular file is opened: reading a pipe might never end. */
function contentOf(path: string): Uint8Array | string {
  try {
    const stats = statSync(path);
    if (stats.isDirectory()) return "it is a directory";
    if (!stats.isFile()) return "it is not a regular file";
    if (stats.size > MAX_BYTES) return "it is larger than the 16 MiB that servers read";
    // Nothing else happens meanwhile, and reading at once takes a fraction of the time.
    return readFileSync(path, { flag: constants.O_RDONLY | constants.O_NONBLOCK });
  } catch (thrown) {
    const { code, message } = thrown as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") return "there is no such file";
    if (code === "ELOOP") return "its symbolic links go in a circle";
    return code === "EACCES" ? "permission to read it is denied" : message;
  }
}
