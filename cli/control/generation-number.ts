import { Exit, Failure } from "../plugin-api/exit.js";
import type { Control } from "./client.js";

/** @throws Failure when it is not the number of a generation */
export function generationNumber(text = ""): number {
  if (/^[1-9]\d{0,14}$/.test(text)) return Number(text);
  throw new Failure(Exit.usage, `\`${text}\` is not the number of a generation`, {
    help: "`reeve history` lists them.",
  });
}

/** The numbers of the kept generations, for the completion of shells. */
export const generationNumbers = async (control: Control): Promise<readonly string[]> =>
  (await control.generations()).generations.map(({ number }) => String(number));
