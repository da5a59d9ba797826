/** Mounting the layers of home directories: overlayfs in the kernel's documentation. */
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { helper, helperPath } from "../helpers.js";

/** Names in the private directory of a home. */
export const layers = {
  ...{ home: "home", hiding: "hiding", empty: "empty", gone: "gone" },
  ...{ hidden: "hidden", upper: "upper", work: "work", shown: "shown" },
} as const;

/** Names of what covers secrets of a home without layers, beside links to the homes. */
export const fallback = { file: "empty", directory: "directory" } as const;

/** "y" says that a directory of the upper layer shows nothing of the one below. */
export const opaque = "user.overlay.opaque";

export interface Layers {
  readonly home: string;
  /** The private directory: its name in `LayeredHomes.directory`. */
  readonly name: string;
  readonly root: string;
  readonly writable: boolean;
  readonly opened: readonly string[];
}

/** The homes of a run. */
export interface LayeredHomes {
  /** Has their private directories. */
  readonly directory: string;
  /** The archive of their layers that hide paths. */
  readonly archive: string;
  readonly homes: readonly Layers[];
}

/** Whether commands change anything in it. */
export const hasUpper = ({ writable, opened }: Pick<Layers, "writable" | "opened">): boolean =>
  writable || opened.length > 0;

/** Where the home is seen in the namespace that `overlayLines` ran in. */
export const shownAt = ({ root, name }: Pick<Layers, "root" | "name">): string =>
  join(dirname(root), layers.hiding, name, layers.shown);

/**
 * Lines of a shell script that mount them; `quote` makes a word of a text. The upper layer may be inside the lowest one, which overlayfs
 * permits only through another overlay; the layers that hide paths may not be inside it, so they are in memory. Names in the table of
 * mounts are short and relative, because some characters in them would need care.
 */
export function overlayLines(
  { directory, archive, homes }: LayeredHomes,
  quote: (text: string) => string,
): string[] {
  const run = (program: string, ...words: string[]) =>
    [helper(program), ...words].map(quote).join(" ");
  const table = homes.flatMap(tableLines);
  return [
    `cd ${quote(directory)}`,
    run("mount", "-t", "tmpfs", "-o", "mode=0755", "tmpfs", layers.hiding),
    run("tar", ...extraction(archive, layers.hiding)),
    `printf '%s\\n' ${table.map(quote).join(" ")} >${layers.hiding}/mounts`,
    run("mount", "--all", "--fstab", `${layers.hiding}/mounts`),
  ];
}

/** Root of a user namespace knows no other users. */
const extraction = (archive: string, directory: string): string[] => [
  ...["--extract", process.getuid?.() === 0 ? "--same-owner" : "--no-same-owner"],
  ...["--numeric-owner", "--preserve-permissions", `--directory=${directory}`, `--file=${archive}`],
];

/** Makes the layers that hide paths, for an engine that mounts by itself. */
export function extractLayers({ archive }: LayeredHomes, directory: string): void {
  const options = { env: { PATH: helperPath }, stdio: "ignore" } as const;
  execFileSync(helper("tar"), extraction(archive, directory), options);
}

/** Lines that make homes read-only instead. */
export function fallbackLines(
  { homes }: LayeredHomes,
  directory: string,
  quote: (text: string) => string,
): string[] {
  const at = (name: string) => quote(join(directory, name));
  return [
    `mkdir ${quote(directory)} ${at(fallback.directory)}`,
    `: >${at(fallback.file)}`,
    ...homes.map(({ home, name }) => `ln -s ${quote(home)} ${at(name)}`),
  ];
}

/** As fstab(5) has them. */
function tableLines(home: Layers): string[] {
  const { name } = home;
  const hiding = join(layers.hiding, name);
  const lower = [join(hiding, layers.empty), join(hiding, layers.gone), join(name, layers.home)];
  const at = (layer: string) => join(name, layer);
  const [hidden, shown] = [join(hiding, layers.hidden), join(hiding, layers.shown)];
  const line = (below: string, options: string) => `overlay ${below} overlay ${options} 0 0`;
  const isWritten = hasUpper(home);
  return [
    line(isWritten ? hidden : shown, `ro,lowerdir=${lower.join(":")}`),
    ...(isWritten
      ? [
          line(
            shown,
            `lowerdir=${hidden},upperdir=${at(layers.upper)},workdir=${at(layers.work)},userxattr`,
          ),
        ]
      : []),
  ];
}

/** The mount options for an engine that mounts it by itself, from layers in `hiding`. No layer may be inside another. */
export function overlayOptions(home: Layers, hiding: string): string {
  const at = (name: string) => join(home.root, name);
  const lower = [layers.empty, layers.gone].map((name) => join(hiding, home.name, name));
  const below = `lowerdir=${[...lower, at(layers.home)].join(":")}`;
  if (!hasUpper(home)) return below;
  return `${below},upperdir=${at(layers.upper)},workdir=${at(layers.work)},userxattr`;
}
