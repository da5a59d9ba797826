/** Paths into a block's values, as people write them. */
import { quoteString } from "./values/render.js";

/** `["verify", 0, "secret"]` → `verify[0].secret`. */
export function renderPath(path: ReadonlyArray<string | number>): string {
  let text = "";
  for (const part of path) {
    if (typeof part === "number") text += `[${part}]`;
    else if (!/^[A-Za-z_][A-Za-z0-9_]*$/.test(part)) text += `[${quoteString(part)}]`;
    else text += text === "" ? part : `.${part}`;
  }
  return text;
}
