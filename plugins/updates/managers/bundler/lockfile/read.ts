/** Reads Gemfile.lock: sections of lines, distinguished by indentation. */
import { UpdatesError } from "../../../errors.js";

export interface GemNeed {
  readonly name: string;
  /** `~> 1.0, >= 1.0.2`; empty for any version. */
  readonly requirement: string;
}

export interface LockedGem {
  readonly name: string;
  readonly version: string;
  /** `ruby` for a gem of all platforms. */
  readonly platform: string;
  readonly needs: readonly GemNeed[];
  /** The index of its section. */
  readonly section: number;
}

/** A section of the file with its lines. */
export interface GemLockSection {
  /** `GEM`, `PATH`, `PLATFORMS`; empty before the first title. */
  readonly title: string;
  readonly remotes: readonly string[];
  /** Lines without newlines; the first is the title. */
  readonly lines: readonly string[];
}

export interface GemLock {
  readonly sections: readonly GemLockSection[];
  readonly gems: readonly LockedGem[];
  readonly platforms: readonly string[];
  /** Direct dependencies, without the `!` of a gem with its own source. */
  readonly direct: readonly GemNeed[];
  readonly ruby: string | undefined;
}

const SPEC = /^ {4}([^\s(]+) \(([^)]+)\)$/;
const NEED = /^ {6}([^\s(!]+)!?(?: \(([^)]*)\))?$/;
const DIRECT = /^ {2}([^\s(!]+)!?(?: \(([^)]*)\))?!?$/;

/** @throws UpdatesError `manifest_unreadable` for a file with conflicts of a merge in it */
export function readGemLock(file: string, text: string): GemLock {
  if (/^(<{7}|={7}|>{7})/m.test(text))
    throw new UpdatesError("manifest_unreadable", `${file} has conflicts of a merge in it.`);
  const sections = sectionsOf(text.replace(/^\uFEFF/, ""));
  const linesOf = (title: string): readonly string[] =>
    sections.filter((section) => section.title === title).flatMap(({ lines }) => lines.slice(1));
  return {
    sections,
    gems: sections.flatMap(gemsIn),
    platforms: linesOf("PLATFORMS")
      .map((line) => line.trim())
      .filter((line) => line !== ""),
    direct: linesOf("DEPENDENCIES").flatMap((line) => {
      const [, name, requirement = ""] = DIRECT.exec(line) ?? [];
      return name === undefined ? [] : [{ name, requirement }];
    }),
    ruby: /ruby (\d+(?:\.\d+)*)/.exec(linesOf("RUBY VERSION").join(" "))?.[1],
  };
}

function sectionsOf(text: string): readonly GemLockSection[] {
  const sections: { title: string; remotes: string[]; lines: string[] }[] = [
    { title: "", remotes: [], lines: [] },
  ];
  for (const line of text.split(/\r?\n/)) {
    if (/^\S/.test(line)) sections.push({ title: line.trim(), remotes: [], lines: [] });
    const section = sections.at(-1);
    section?.lines.push(line);
    const [, remote] = /^ {2}remote: (.*)$/.exec(line) ?? [];
    if (remote !== undefined) section?.remotes.push(remote.replace(/\/+$/, ""));
  }
  return sections;
}

function gemsIn({ title, lines }: GemLockSection, section: number): readonly LockedGem[] {
  if (!/^(GEM|GIT|PATH|PLUGIN SOURCE)$/.test(title)) return [];
  const gems: { -readonly [Key in keyof LockedGem]: LockedGem[Key] }[] = [];
  for (const line of lines) {
    const [, name, whole] = SPEC.exec(line) ?? [];
    if (name !== undefined && whole !== undefined) {
      const [version = "", platform = "ruby"] = splitPlatform(whole);
      gems.push({ name, version, platform, needs: [], section });
    }
    const [, needed, requirement = ""] = NEED.exec(line) ?? [];
    const last = gems.at(-1);
    if (needed !== undefined && last) last.needs = [...last.needs, { name: needed, requirement }];
  }
  return gems;
}

/** `1.15.0-x86_64-linux` → `1.15.0` and `x86_64-linux`. */
export function splitPlatform(whole: string): readonly [version: string, platform?: string] {
  const dash = whole.indexOf("-");
  return dash < 0 ? [whole] : [whole.slice(0, dash), whole.slice(dash + 1)];
}
