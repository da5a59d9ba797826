/** How a view of the file system is built, whoever builds it: bubblewrap here, a container engine in `docker/`. */

/** One step; `at` is a path inside. A later step lies over an earlier one. */
export type MountStep =
  | {
      readonly kind: "bind";
      readonly from: string;
      readonly at: string;
      readonly writable: boolean;
    }
  /** Empty and private; without a mode only its owner writes. */
  | { readonly kind: "memory"; readonly at: string; readonly mode?: string }
  | { readonly kind: "directory"; readonly at: string }
  | { readonly kind: "link"; readonly to: string; readonly at: string }
  | { readonly kind: "devices" | "processes"; readonly at: string }
  /** Nothing more may be written there; what is mounted below stays as it is. */
  | { readonly kind: "seal"; readonly at: string };

/** A step for bubblewrap. */
export function bubblewrapArguments(step: MountStep): string[] {
  switch (step.kind) {
    case "bind":
      return [step.writable ? "--bind" : "--ro-bind", step.from, step.at];
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
