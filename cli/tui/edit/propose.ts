/** Proposes an edit of the configuration: the difference and its plan, to be confirmed before it is written. */
import { constants } from "node:fs";
import { access, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { hasBlock, type ListAddition, withEntry } from "../../../grammar/editing/list-entry.js";
import { Exit, Failure } from "../../plugin-api/exit.js";
import { renderPlan } from "../../print/plan.js";
import { replaceFile, shownPath } from "../../project/files.js";
import { loadConfiguration } from "../../project/load.js";
import { plainTheme } from "../view/theme.js";

/** A file that is to be replaced as a whole. */
export interface FileEdit {
  /** Absolute. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

export interface EditProposal {
  readonly edit: FileEdit;
  /** The difference and the plan, to be read. */
  readonly text: string;
}

/**
 * `root`: absolute path of the configuration's root file.
 * @throws Failure where the block cannot be edited, and where the edited configuration would not be valid
 */
export async function proposeAddition(root: string, addition: ListAddition): Promise<EditProposal> {
  const before = await loadConfiguration(root);
  const path = await fileOf(
    addition,
    [...before.sources].map(([name, { text }]) => [resolve(name), text]),
  );
  const text = await readFile(path, "utf8");
  const edited = withEntry(text, addition);
  if ("refused" in edited) {
    throw cannot(`in \`${shownPath(path)}\`, ${edited.refused}`, addition);
  }
  const after = await loadConfiguration(root, { overlay: new Map([[path, edited.text]]) });
  if (!after.program) {
    const why = after.diagnostics.find(({ severity }) => severity === "error")?.message;
    throw cannot(
      `the configuration would be invalid, ${why ?? "which `reeve check` explains"}`,
      addition,
    );
  }
  const { plan } = await import("../../../daemon/config/plan.js");
  const shown = [
    shownPath(path),
    "",
    ...diffLines(text, edited.text),
    "",
    renderPlan(plan(before.program, after.program), { paint: plainTheme.paint }),
  ];
  return { edit: { path, before: text, after: edited.text }, text: shown.join("\n") };
}

/** @throws Failure when the file is not what it was, or cannot be written; nothing has changed then */
export async function write({ path, before, after }: FileEdit): Promise<void> {
  if ((await readFile(path, "utf8")) !== before) {
    throw new Failure(
      Exit.cannotCreate,
      `\`${shownPath(path)}\` has changed in the meantime; nothing was written`,
      { help: "Ask again." },
    );
  }
  await replaceFile(path, after);
}

/** The one file of the language that has the block and may be written. */
async function fileOf(
  addition: ListAddition,
  sources: ReadonlyArray<readonly [path: string, text: string]>,
): Promise<string> {
  const [path] =
    sources.find(([name, text]) => name.endsWith(".reeve") && hasBlock(text, addition)) ?? [];
  if (path === undefined) {
    throw new Failure(
      Exit.findings,
      `no file of the configuration has \`${keyOf(addition)}\` as a block of its own: a loop, a mixin or JSON makes it`,
      { help: "Edit that by hand." },
    );
  }
  try {
    await access(path, constants.W_OK);
  } catch (thrown) {
    throw new Failure(
      Exit.cannotCreate,
      `\`${path}\`, which has \`${keyOf(addition)}\`, is not writable from here`,
      {
        help: "Edit it where it comes from.",
        cause: thrown,
      },
    );
  }
  return path;
}

const keyOf = ({ block, label }: ListAddition): string => `${block} "${label}"`;

const cannot = (why: string, addition: ListAddition): Failure => {
  const list = `\`${addition.attribute}\` of \`${keyOf(addition)}\``;
  return new Failure(Exit.findings, `cannot add \`${addition.entry}\` to ${list}: ${why}`, {
    help: "Edit the configuration by hand.",
  });
};

/** Lines of context around a difference. */
const CONTEXT = 2;

/** One hunk, from the first line that differs to the last, with some context. */
function diffLines(before: string, after: string): readonly string[] {
  const [old, fresh] = [before.split("\n"), after.split("\n")];
  const shorter = Math.min(old.length, fresh.length);
  let same = 0;
  while (same < shorter && old[same] === fresh[same]) same += 1;
  let tail = 0;
  while (tail < shorter - same && old.at(-1 - tail) === fresh.at(-1 - tail)) tail += 1;
  const from = Math.max(0, same - CONTEXT);
  const plain = (line: string) => `  ${line}`;
  return [
    ...old.slice(from, same).map(plain),
    ...old.slice(same, old.length - tail).map((line) => `- ${line}`),
    ...fresh.slice(same, fresh.length - tail).map((line) => `+ ${line}`),
    ...old.slice(old.length - tail, old.length - tail + CONTEXT).map(plain),
  ];
}
