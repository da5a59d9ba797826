/** The steps that build a view of the file system, for bubblewrap and for container engines. */
import { join } from "node:path";
import { type Layers, shownAt } from "./home/overlay.js";

export interface BindStep {
  readonly kind: "bind";
  readonly from: string;
  readonly at: string;
  readonly writable: boolean;
}

interface OverlayStep {
  readonly kind: "overlay";
  readonly layers: Layers;
  readonly at: string;
}

/** `at` is a path inside. Later steps cover earlier ones. */
export type MountStep =
  | BindStep
  /** The layers of a home directory. */
  | OverlayStep
  /** Empty and private; without a mode only its owner can write. */
  /** If the source exists at the start. */
  | (Omit<BindStep, "kind"> & { readonly kind: "possible" })
  | { readonly kind: "memory"; readonly at: string; readonly mode?: string }
  | { readonly kind: "directory"; readonly at: string }
  | { readonly kind: "link"; readonly to: string; readonly at: string }
  | { readonly kind: "devices" | "processes"; readonly at: string }
  /** Makes the path read-only, without the mounts below it. */
  | { readonly kind: "seal"; readonly at: string };

/**
 * Keeps the directories between a mounted directory and a path below it in their places: a mount point cannot be
 * renamed, and a directory mounted over itself is written in as before.
 */
export function pins(mounted: string, path: string, from = mounted): BindStep[] {
  const names = path
    .slice(mounted.length + 1)
    .split("/")
    .slice(0, -1);
  return names.map((_, index) => {
    const below = names.slice(0, index + 1).join("/");
    return { kind: "bind", from: `${from}/${below}`, at: `${mounted}/${below}`, writable: true };
  });
}

/** Shows a home, with the directories that are writable although it is not. */
export function homeSteps(layers: Layers): MountStep[] {
  const { home, opened } = layers;
  return [
    { kind: "overlay", layers, at: home },
    ...opened.map((path): MountStep => {
      const [from, at] = [join(shownAt(layers), path), join(home, path)];
      return { kind: "possible", from, at, writable: true };
    }),
  ];
}

/** The step as options of bubblewrap. */
export function bubblewrapArguments(step: MountStep): string[] {
  switch (step.kind) {
    case "bind":
      return [step.writable ? "--bind" : "--ro-bind", step.from, step.at];
    case "possible":
      return [step.writable ? "--bind-try" : "--ro-bind-try", step.from, step.at];
    case "overlay":
      return [step.layers.writable ? "--bind" : "--ro-bind", shownAt(step.layers), step.at];
    case "memory":
      return [...(step.mode === undefined ? [] : ["--perms", step.mode]), "--tmpfs", step.at];
    case "directory":
      return ["--dir", step.at];
    case "link":
      return ["--symlink", step.to, step.at];
    case "devices":
      return ["--dev", step.at];
    case "processes":
      return ["--proc", step.at];
    case "seal":
      return ["--remount-ro", step.at];
  }
}
