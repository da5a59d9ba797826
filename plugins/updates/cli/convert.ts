/** `reeve updates convert`: Renovate's configuration in the terms of this plugin. */
import { readdir } from "node:fs/promises";
import { dirname, join, relative, sep } from "node:path";
import { defineCommand, Exit, Failure, flag, format, json, readText, text } from "reeve/cli";
import { convertRenovate, type RenovateConversion } from "../config-files/renovate/convert.js";
import { UpdatesError } from "../errors.js";
import type { SourceEntry } from "../managers/contract.js";
import { managerOf, type PackageManager, packageManagers } from "../managers/index.js";

export const command = defineCommand({
  description:
    "Prints an `updates` block with the registries, patterns and merge settings of a Renovate configuration; with --repository a `.github/dependabot.yml` with its schedules, groups, ignored and merged updates. What has no equivalent is listed on standard error.",
  arguments: [
    {
      name: "FILE",
      summary: "renovate.json, renovate.json5, .renovaterc or package.json",
      required: true,
    },
  ],
  options: {
    repository: flag("print the file of the repository"),
    account: text("LOGIN", "the account that merge settings are for", { fallback: "owner" }),
    json,
  },
  examples: [
    {
      command: "reeve updates convert renovate.json > updates.reeve",
      does: "writes the daemon's part",
    },
    {
      command: "reeve updates convert renovate.json --repository > .github/dependabot.yml",
      does: "writes the repository's part",
    },
  ],
  exits: {
    [Exit.findings]: "some options have no equivalent",
    [Exit.noInput]: "there is no such file",
    [Exit.configuration]: "the file is no JSON, or has no configuration",
  },
  async run({ arguments: [file = ""], options, output }) {
    const conversion = await converted(file, options.account);
    const { block, repository, findings } = conversion;
    if (options.json) output.json(conversion);
    else {
      output.out.write(options.repository ? repository : block);
      for (const { option, line, why } of findings)
        output.err.line(`${file}:${line}: ${option}: ${why}.`);
    }
    return findings.length > 0 ? Exit.findings : Exit.ok;
  },
});

async function converted(file: string, account: string): Promise<RenovateConversion> {
  const content = await readText(file);
  const root = dirname(file).replace(/(^|[\\/])\.(github|gitlab)$/, "") || ".";
  try {
    const conversion = convertRenovate({
      ...{ file, text: content, account },
      managers: await managersIn(root),
    });
    const formatted = format(conversion.block);
    if (!("text" in formatted)) throw new Error("the block is not in the language");
    return { ...conversion, block: formatted.text };
  } catch (error) {
    if (error instanceof UpdatesError) throw new Failure(Exit.configuration, error.message);
    throw error;
  }
}

/** Files that are searched for manifests, at most. */
const MOST_FILES = 20_000;

/** The package managers with a manifest in the repository's root. */
async function managersIn(root: string): Promise<readonly PackageManager[]> {
  const tree: SourceEntry[] = [];
  const folders = [root];
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    if (tree.length > MOST_FILES) break;
    for (const entry of await readdir(folder, { withFileTypes: true }).catch(() => [])) {
      if (entry.isDirectory() && ![".git", "node_modules"].includes(entry.name))
        folders.push(join(folder, entry.name));
      const path = relative(root, join(folder, entry.name)).split(sep).join("/");
      if (entry.isFile()) tree.push({ path, kind: "file", oid: "" });
    }
  }
  const sources = { directory: "/", tree, files: new Map() };
  const found = await Promise.all(
    packageManagers.map(async (id) =>
      (await managerOf(id)).filesToRead(sources).length > 0 ? [id] : [],
    ),
  );
  return found.flat();
}
