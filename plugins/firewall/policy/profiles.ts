/** Named sets of domains and paths for common tools. Data, for people to read as well: `awf profile show NAME`. */
import { FirewallError } from "../errors.js";
import { atMostOneEdit } from "./near-words.js";

export interface Profile {
  readonly name: string;
  readonly summary: string;
  /** Entries of an allow list. */
  readonly domains: readonly string[];
  /** Directories of the home directory that the tool writes, if only listed paths are writable. */
  readonly paths: readonly string[];
}

export const profiles: readonly Profile[] = [
  {
    name: "npm",
    summary: "install packages with npm, pnpm or Yarn",
    domains: ["registry.npmjs.org", "registry.yarnpkg.com", "nodejs.org"],
    paths: [".npm", ".cache/node-gyp", ".cache/pnpm", ".cache/yarn"],
  },
  {
    name: "pip",
    summary: "install packages with pip, uv or Poetry",
    domains: ["pypi.org", "files.pythonhosted.org"],
    paths: [".cache/pip", ".cache/uv", ".cache/pypoetry"],
  },
  {
    name: "cargo",
    summary: "build Rust packages from crates.io",
    domains: ["crates.io", "static.rust-lang.org"],
    paths: [".cargo/registry", ".cargo/git"],
  },
  {
    name: "go",
    summary: "build Go modules through the module proxy",
    domains: ["proxy.golang.org", "sum.golang.org", "golang.org", "go.dev"],
    paths: ["go/pkg", ".cache/go-build"],
  },
  {
    name: "git",
    summary: "clone, fetch and push over HTTPS and SSH at public code hosts",
    domains: [
      ...["github.com", "github.com:22", "objects.githubusercontent.com"],
      ...["gitlab.com", "gitlab.com:22", "bitbucket.org", "bitbucket.org:22"],
      ...["codeberg.org", "codeberg.org:22"],
    ],
    paths: [],
  },
  {
    name: "claude",
    summary: "run Claude Code",
    domains: ["api.anthropic.com", "claude.ai", "console.anthropic.com", "platform.claude.com"],
    paths: [".claude"],
  },
  {
    name: "codex",
    summary: "run Codex",
    domains: ["api.openai.com", "auth.openai.com", "chatgpt.com"],
    paths: [".codex"],
  },
];

/** @throws {FirewallError} `unknown_profile` */
export function findProfile(name: string): Profile {
  const found = profiles.find((profile) => profile.name === name);
  if (found) return found;
  const near = profiles.find((profile) => atMostOneEdit(name, profile.name));
  const names = profiles.map((profile) => profile.name).join(", ");
  const advice = near ? `did you mean "${near.name}"?` : `the profiles are ${names}`;
  throw new FirewallError("unknown_profile", `Unknown profile "${name}"; ${advice}`);
}
