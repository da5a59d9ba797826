/** `pass-file-to-command`: files that exist while a command runs. */
import { randomInt } from "node:crypto";
import { rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PassedFile } from "./command.js";

export interface PassedFiles {
  /** Their paths, by variable. */
  readonly env: Readonly<Record<string, string>>;
  remove(): Promise<void>;
}

/** In the hook's directory, or the system's temporary one; readable by this user only. */
export async function passFiles(
  files: readonly PassedFile[],
  directory: string,
  note: (line: string) => void,
): Promise<PassedFiles> {
  const env: Record<string, string> = Object.create(null);
  const paths: string[] = [];
  for (const { variable, content } of files) {
    const name = variable.replace(/[^A-Za-z0-9_.-]/g, "_").slice(0, 100);
    const path = join(directory || tmpdir(), `${name}${randomInt(2 ** 47)}`);
    try {
      await writeFile(path, content, { mode: 0o600, flag: "wx" });
      paths.push(path);
      env[variable] = path;
      note(`writing env ${variable} file ${path}`);
    } catch (thrown) {
      note(`error writing file ${path}: ${thrown instanceof Error ? thrown.message : thrown}`);
    }
  }
  return {
    env,
    remove: async () => {
      for (const path of paths) {
        note(`removing file ${path}`);
        await rm(path, { force: true }).catch((thrown: unknown) =>
          note(`error removing file ${path}: ${thrown}`),
        );
      }
    },
  };
}
