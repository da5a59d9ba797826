/** Takes settings that can name commands out of a git configuration. git itself reads it, so that no reading differs. */
import { spawnSync } from "node:child_process";
import { lstatSync, renameSync, writeFileSync } from "node:fs";
import { findHelper } from "./helpers.js";
import { giveToOwnerOf } from "./owner.js";

/** Names in lower case, as git lists them. A star is a subsection. All other settings are taken out. */
const harmless = new RegExp(
  `^(?:${[
    "core\\.(?:repositoryformatversion|filemode|bare|logallrefupdates|ignorecase|precomposeunicode|symlinks|worktree)",
    "core\\.(?:autocrlf|eol|safecrlf|sparsecheckout(?:cone)?|abbrev|quotepath|compression|bigfilethreshold|longpaths)",
    "extensions\\.[a-z]+|user\\.(?:name|email|signingkey)|(?:author|committer)\\.(?:name|email)",
    "remote\\..*\\.(?:url|pushurl|fetch|push|tagopt|prune|prunetags|mirror|promisor|partialclonefilter|skip[a-z]+)",
    "remote\\.pushdefault|branch\\.(?:.*\\.)?(?:remote|merge|rebase|pushremote|description|autosetup[a-z]+|vscode-merge-base|gh-merge-base)",
    "submodule\\..*\\.(?:url|active|branch|path|ignore|shallow|fetchrecursesubmodules)|submodule\\.(?:active|recurse)",
    "(?:pull|push|fetch|rebase|commit|tag|merge|rerere|index|pack|feature|advice|color|column|log|status|checkout)\\.[a-z]+|gc\\.(?!recentobjectshook)[a-z]+",
    "color\\..*\\.[a-z]+|init\\.defaultbranch|lfs\\.(?:url|repositoryformatversion)|lfs\\..*\\.(?:access|locksverify)",
  ].join("|")})$`,
  "s",
);
/** Addresses that run a helper. */
const runsHelper = /^[\w-]+::|^-/;

interface Setting {
  readonly key: string;
  /** Absent: the name alone. */
  readonly value: string | undefined;
}

/** The keys that can name commands and that another configuration does not have with the same value. */
export function newCommands(path: string, other: string): readonly string[] {
  const known = settingsOf(other) ?? [];
  const isKnown = ({ key, value }: Setting) =>
    known.some((each) => each.key === key && each.value === value);
  const found = settingsOf(path)?.filter((setting) => !isHarmless(setting) && !isKnown(setting));
  return found ? shortened(found) : [unreadable];
}

const unreadable = "every setting, since git cannot read it";
const shortened = (settings: readonly Setting[]): string[] =>
  [...new Set(settings.map(({ key }) => key))].slice(0, 5);

/**
 * Keeps the original as `aside` if anything is taken out.
 * @returns the keys taken out
 */
export function cleanConfig(path: string, aside: string): string[] {
  const settings = settingsOf(path);
  const removed = settings?.filter((setting) => !isHarmless(setting));
  if (removed?.length === 0) return [];
  const found = lstatSync(path);
  renameSync(path, aside);
  const text = (settings ?? []).filter(isHarmless).map(written).join("");
  writeFileSync(path, text, { mode: found.mode & 0o777, flag: "wx", encoding: "latin1" });
  giveToOwnerOf(found, path);
  return removed ? shortened(removed) : [unreadable];
}

function isHarmless({ key, value = "" }: Setting): boolean {
  return harmless.test(key) && !(key.endsWith("url") && runsHelper.test(value));
}

/** Those of a regular file, in Latin-1. Undefined if git is missing or cannot read the file. */
export function settingsOf(path: string): Setting[] | undefined {
  const git = findHelper("git");
  if (git === undefined) return undefined;
  const { status, stdout } = spawnSync(git, ["config", "--file", path, "--list", "-z"], {
    cwd: "/",
    encoding: "latin1",
    env: { GIT_DIR: "/nonexistent", GIT_CONFIG_NOSYSTEM: "1", HOME: "/nonexistent" },
    maxBuffer: 16 * 1024 * 1024,
    timeout: 10_000,
  });
  if (status !== 0) return undefined;
  return stdout
    .split("\0")
    .filter((record) => record !== "")
    .map((record) => {
      const end = record.indexOf("\n");
      return end < 0
        ? { key: record, value: undefined }
        : { key: record.slice(0, end), value: record.slice(end + 1) };
    });
}

/** The setting with a section header of its own. */
function written({ key, value }: Setting): string {
  const [first, last] = [key.indexOf("."), key.lastIndexOf(".")];
  const [section, name] = [key.slice(0, first), key.slice(last + 1)];
  const subsection = first === last ? "" : ` "${escaped(key.slice(first + 1, last))}"`;
  const text = escaped(value ?? "")
    .replaceAll("\n", "\\n")
    .replaceAll("\t", "\\t");
  return `[${section}${subsection}]\n\t${name}${value === undefined ? "" : ` = "${text}"`}\n`;
}

const escaped = (text: string): string => text.replace(/["\\]/g, "\\$&");
