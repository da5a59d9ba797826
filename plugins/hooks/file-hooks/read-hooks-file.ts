/** Reads the text of a hooks file. */
import type { HooksFileBlock } from "../blocks/blocks.js";
import { complaintLine, readHooks } from "../compat/file/read.js";
import type { FileHook } from "../compat/hook.js";
import { expandTemplate } from "../compat/template/template.js";
import { hostWorld } from "../compat/template/world.js";

/** The hooks in a file's text, or why it has none: one line with the position. */
export function readHooksFile(
  written: string,
  { path, strict, template }: HooksFileBlock["values"],
): readonly FileHook[] | string {
  let text = written;
  if (template) {
    const expanded = expandTemplate(written, hostWorld);
    if (!expanded.ok) return complaintLine(path, expanded);
    text = expanded.text;
  }
  const reading = readHooks(text, { strict });
  return reading.ok ? reading.hooks : complaintLine(path, reading.complaints[0]);
}
