/** What allowing a domain would change: the edit of the configuration, and the plan of it. Nothing is written here. */
import { constants } from "node:fs";
import { access, readFile } from "node:fs/promises";
import { resolve } from "node:path";
import { Exit, Failure } from "../../plugin-api/exit.js";
import { renderPlan } from "../../print/plan.js";
import { replaceFile, shownPath } from "../../project/files.js";
import { loadConfiguration } from "../../project/load.js";
import { plainTheme } from "../view/theme.js";
import { diffLines } from "./diff.js";
import { hasSandbox, withAllowed } from "./edit.js";

export interface AllowRequest {
  /** The label of the `sandbox` block. */
  readonly sandbox: string;
  readonly domain: string;
}

/** A file that is to be replaced as a whole. */
export interface FileEdit {
  /** Absolute. */
  readonly path: string;
  readonly before: string;
  readonly after: string;
}

export interface AllowProposal {
  readonly edit: FileEdit;
  /** The difference and the plan, to be read. */
  readonly text: string;
}

/**
 * `root`: absolute path of the configuration's root file.
 * @throws Failure where the block cannot be edited, and where the edited configuration would not be valid
 */
export async function proposeAllow(
  root: string,
  { sandbox, domain }: AllowRequest,
): Promise<AllowProposal> {
  const before = await loadConfiguration(root);
  const path = await fileOf(
    sandbox,
    [...before.sources].map(([name, { text }]) => [resolve(name), text]),
  );
  const text = await readFile(path, "utf8");
  const edited = withAllowed(text, sandbox, domain);
  if ("refused" in edited) {
    throw cannot(
      `of \`sandbox "${sandbox}"\` in \`${shownPath(path)}\`, ${edited.refused}`,
      domain,
    );
  }
  const after = await loadConfiguration(root, { overlay: new Map([[path, edited.text]]) });
  if (!after.program) {
    const why = after.diagnostics.find(({ severity }) => severity === "error")?.message;
    throw cannot(
      `the configuration would be invalid, ${why ?? "which `reeve check` explains"}`,
      domain,
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
      `\`${shownPath(path)}\` has been changed by somebody else since; nothing was written`,
      { help: "Ask again." },
    );
  }
  await replaceFile(path, after);
}

/** The one file of the language that has the block and may be written. */
async function fileOf(
  sandbox: string,
  sources: ReadonlyArray<readonly [path: string, text: string]>,
): Promise<string> {
  const [path] =
    sources.find(([name, text]) => name.endsWith(".reeve") && hasSandbox(text, sandbox)) ?? [];
  if (path === undefined) {
    throw new Failure(
      Exit.findings,
      `no file of the configuration has \`sandbox "${sandbox}"\` as a block of its own: it is made by a loop, a mixin or JSON`,
      { help: "Edit that by hand." },
    );
  }
  try {
    await access(path, constants.W_OK);
  } catch (thrown) {
    throw new Failure(
      Exit.cannotCreate,
      `\`${path}\`, which has \`sandbox "${sandbox}"\`, cannot be written from here`,
      {
        help: "Edit it where it comes from.",
        cause: thrown,
      },
    );
  }
  return path;
}

const cannot = (why: string, domain: string): Failure =>
  new Failure(Exit.findings, `\`${domain}\` cannot be allowed from here: ${why}`, {
    help: "Edit the configuration by hand.",
  });
