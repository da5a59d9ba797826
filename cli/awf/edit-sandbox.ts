/** Adds entries to the `allow` list of a `sandbox` block, in the file that has the block. */
import { readFileSync } from "node:fs";
import { hasBlock, withEntry } from "../../grammar/editing/list-entry.js";
import type { EditSandbox } from "../../plugins/firewall/command/settings.js";
import { FirewallError } from "../../plugins/firewall/errors.js";
import { readSandboxFile } from "./sandbox-file.js";

/** @throws {FirewallError} `cannot_edit`, and as for `readSandboxFile` */
export const editSandbox: EditSandbox = async (root, name, entriesFor) => {
  const { attributes, files, name: label } = await readSandboxFile(root, name);
  const block = { block: "sandbox", label };
  const refused = (why: string) =>
    new FirewallError(
      "cannot_edit",
      `Cannot add entries to \`allow\` of sandbox "${label}": ${why}. Edit it by hand`,
    );
  const path = files.find(
    (file) => file.endsWith(".reeve") && hasBlock(readFileSync(file, "utf8"), block),
  );
  if (path === undefined)
    throw refused("no *.reeve file has it as a block of its own; a loop, a mixin or JSON makes it");
  const before = readFileSync(path, "utf8");
  let after = before;
  for (const entry of entriesFor(attributes)) {
    const edited = withEntry(after, { ...block, attribute: "allow", entry });
    if ("refused" in edited) throw refused(`in ${path}, ${edited.refused}`);
    after = edited.text;
  }
  // The edited block must still be valid.
  if (after !== before) await readSandboxFile(root, label, new Map([[path, after]]));
  return { path, before, after };
};
