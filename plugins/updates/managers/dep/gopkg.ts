/** Gopkg.toml and Gopkg.lock, with the places of versions. */
import type { TextRange } from "../../text/text.js";
import { readToml, type TomlNode, tomlAt, tomlItems, tomlText } from "../../text/toml.js";

interface Place {
  readonly text: string;
  readonly range: TextRange;
}

export interface Constraint {
  readonly name: string;
  readonly section: "constraint" | "override";
  /** Undefined where a branch or a revision is followed, or where it cannot be replaced in place. */
  readonly version: Place | undefined;
  /** What is followed instead of versions, in words. */
  readonly follows: string | undefined;
  /** Where it is fetched from, if not from where its name says. */
  readonly source: string | undefined;
}

export interface Locked {
  readonly name: string;
  readonly version: Place | undefined;
  readonly revision: Place | undefined;
  readonly source: string | undefined;
}

const place = (node: TomlNode | undefined): Place | undefined =>
  node?.kind === "text" && node.range ? { text: node.value, range: node.range } : undefined;

/** @throws UpdatesError `manifest_unreadable` */
export function readGopkg(file: string, text: string): readonly Constraint[] {
  const root = readToml(file, text);
  return (["constraint", "override"] as const).flatMap((section) =>
    tomlItems(root, section).flatMap((node): readonly Constraint[] => {
      const name = tomlText(node, "name");
      if (name === undefined) return [];
      const [branch, revision] = [tomlText(node, "branch"), tomlText(node, "revision")];
      return [
        {
          ...{ name, section, source: tomlText(node, "source") },
          version: place(tomlAt(node, "version")),
          follows:
            branch === undefined
              ? revision && `the revision ${revision.slice(0, 7)}`
              : `the branch ${branch}`,
        },
      ];
    }),
  );
}

/** @throws UpdatesError `manifest_unreadable` */
export const readGopkgLock = (file: string, text: string): readonly Locked[] =>
  tomlItems(readToml(file, text), "projects").flatMap((node): readonly Locked[] => {
    const name = tomlText(node, "name");
    if (name === undefined) return [];
    return [
      {
        ...{ name, source: tomlText(node, "source") },
        version: place(tomlAt(node, "version")),
        revision: place(tomlAt(node, "revision")),
      },
    ];
  });
