/** pnpm-lock.yaml, versions 5 to 9. */
import { parse } from "yaml";
import { withoutMark } from "../../text/text.js";
import type { LockedVersions } from "./locked.js";

type Locked = string | { readonly version?: string };
type Sections = Readonly<Record<string, Readonly<Record<string, Locked>> | undefined>>;
interface PnpmLock extends Sections {}
interface Whole {
  readonly importers?: Readonly<Record<string, Sections>>;
  readonly packages?: Readonly<Record<string, { readonly dev?: boolean }>>;
}

/** From 11 on a document about pnpm itself may come before the one about the project. */
export const projectOf = (text: string): string => text.split(/^---[ \t]*\r?$/m).at(-1) ?? text;

const SECTIONS = ["dependencies", "devDependencies", "optionalDependencies"];

export function pnpmLockVersions(text: string): LockedVersions {
  const lock = (parse(projectOf(withoutMark(text).text)) ?? {}) as Whole & PnpmLock;
  const seen = new Map<string, { name: string; version: string; development: boolean }>();
  for (const [key, { dev }] of Object.entries(lock.packages ?? {})) {
    const [, name, version] = /^\/?(@[^/]+\/[^/@]+|[^/@]+)[@/](\d[^(_]*)/.exec(key) ?? [];
    if (name === undefined || version === undefined) continue;
    seen.set(`${name}@${version}`, { name, version, development: dev === true });
  }
  return {
    version: (member, declared) => {
      const sections =
        lock.importers?.[member === "" ? "." : member] ?? (member === "" ? lock : {});
      for (const section of SECTIONS) {
        const locked = (sections as Sections)[section]?.[declared];
        if (locked !== undefined) return bare(typeof locked === "string" ? locked : locked.version);
      }
      return undefined;
    },
    all: [...seen.values()],
  };
}

/** `1.2.3(react@18.0.0)`, `1.2.3_react@17.0.0`, `/foo/1.2.3`, `foo@1.2.3` → `1.2.3`. */
function bare(locked: string | undefined): string | undefined {
  const [plain = ""] = (locked ?? "").split(/[(_]/);
  return /(?:^|[@/])(\d+\.\d+\.\d+[^@/]*)$/.exec(plain)?.[1];
}
