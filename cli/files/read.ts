import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { shownPath } from "../configuration.js";
import { Exit, Failure } from "../exit.js";
import { reasonOf } from "./reason.js";

/** The text of a file, with its byte order mark if it has one. @throws Failure when it cannot be read or is no text. */
export async function readText(path: string): Promise<string> {
  const name = shownPath(path);
  const bytes = await readFile(path).catch((thrown: unknown) => {
    throw new Failure(Exit.noInput, `\`${name}\` cannot be read: ${reasonOf(thrown)}`, {
      cause: thrown,
    });
  });
  return decoded(bytes, `\`${name}\``);
}

/** All of standard input. */
export const readStdin = async (): Promise<string> =>
  decoded(await buffer(process.stdin), "standard input");

function decoded(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Failure(Exit.noInput, `${name} is not UTF-8 text`);
  }
}
