/** Writes a domain that the user allows to the file that the allow list of a run comes from. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { type ProposedText, writeEdit } from "./proposed-text.js";
import type { AwfSettings, SandboxFiles } from "./settings.js";

/** @param written called with each file that was written. Undefined if the list is in no file. */
export function allowanceOf(
  { options }: AwfSettings,
  files: SandboxFiles,
  written: (path: string) => void,
): ((domain: string) => Promise<string>) | undefined {
  const { allowDomainsFile: list, config, sandbox } = options;
  if (list === undefined && (config === undefined || config === "-")) return undefined;
  return async (domain) => {
    const edit =
      list === undefined
        ? await files.edit(config ?? "", sandbox, () => [domain])
        : withLine(resolve(list), domain);
    writeEdit(edit, true);
    written(edit.path);
    return edit.path;
  };
}

function withLine(path: string, domain: string): ProposedText {
  const before = readFileSync(path, "utf8");
  const gap = before === "" || before.endsWith("\n") ? "" : "\n";
  return { path, before, after: `${before}${gap}${domain} # allowed when asked\n` };
}
