/**
 * What of a home directory is kept that a command changed there, relative to it. Entries with a leading dot are where programs look
 * for settings, start files, extensions and keys, so of these only caches and histories are kept.
 */
import { isWithin } from "../paths.js";

/** Downloads and results that programs can make again, and records of what was done. */
const keptHidden: readonly string[] = [
  ...[
    ".cache",
    ".npm",
    ".pnpm-store",
    ".local/share/pnpm/store",
    ".yarn/berry/cache",
    ".yarn/berry/metadata",
  ],
  ...[".bun/install/cache", ".node-gyp", ".electron-gyp", ".cargo/registry", ".cargo/git"],
  ...[
    ".m2/repository",
    ".gradle/caches",
    ".gradle/wrapper/dists",
    ".ivy2/cache",
    ".ivy2/local",
    ".sbt/boot",
  ],
  ...[
    ".nuget/packages",
    ".local/share/NuGet",
    ".pub-cache/hosted",
    ".pub-cache/git",
    ".hex/packages",
  ],
  ...[".conda/pkgs", ".composer/cache", ".stack/pantry", ".cabal/packages", ".opam/download-cache"],
  ...[
    ".ccache",
    ".sccache",
    ".terraform.d/plugin-cache",
    ".mypy_cache",
    ".pytest_cache",
    ".ruff_cache",
  ],
  ...[".local/share/Trash", ".local/share/containers/cache", ".lesshst", ".wget-hsts", ".rnd"],
  ...[
    ".claude/projects",
    ".claude/todos",
    ".claude/statsig",
    ".claude/history.jsonl",
    ".claude/file-history",
  ],
  ...[
    ".codex/sessions",
    ".codex/history.jsonl",
    ".codex/log",
    ".gemini/tmp",
    ".aider.chat.history.md",
  ],
  // The home directory as a repository, without what git runs of it.
  ...[".git/objects", ".git/refs", ".git/logs", ".git/index", ".git/HEAD", ".git/ORIG_HEAD"],
  ...[".git/COMMIT_EDITMSG", ".git/FETCH_HEAD", ".git/packed-refs"],
];

/** Not kept although a path above is: programs that run later by themselves. */
export const neverKept: readonly string[] = [
  ...[
    ".cache/reeve",
    ".cache/pre-commit",
    ".npm/_npx",
    ".cache/fontconfig-hooks",
    ".cache/JetBrains",
  ],
  // Directories of the PATH, and of code and instructions that programs look for in the home directory.
  ...[
    "bin",
    "go/bin",
    "sbin",
    "node_modules",
    "perl5",
    "CLAUDE.md",
    "CLAUDE.local.md",
    "AGENTS.md",
    "GEMINI.md",
  ],
];

/** `enter`: something below may be kept. */
export type Keeping = "keep" | "hold" | "enter";

/** By its name alone. */
export function usualKeeping(path: string): Keeping {
  if (neverKept.some((each) => isWithin(path, each))) return "hold";
  if (!path.startsWith(".") || keptHidden.some((each) => isWithin(path, each))) return "keep";
  return keptHidden.some((each) => each.startsWith(`${path}/`)) ? "enter" : "hold";
}
