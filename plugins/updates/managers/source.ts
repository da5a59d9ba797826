/** Turns the addresses of repositories in packages into URLs. */
import type { Dependency, SourceRepository } from "./contract.js";

/** The repository that the dependency follows. */
export const gitSource = async ({ origin }: Dependency): Promise<SourceRepository | undefined> => {
  const url = origin.kind === "git" ? repositoryAddress(origin.url) : undefined;
  return url === undefined ? undefined : { url };
};

const SHORT: Readonly<Record<string, string>> = {
  github: "https://github.com",
  gitlab: "https://gitlab.com",
  bitbucket: "https://bitbucket.org",
};

/** `git+https://host/a/b.git`, `git@host:a/b.git`, `github:a/b`, `a/b` → `https://host/a/b`; undefined for anything else. */
export function repositoryAddress(written: string): string | undefined {
  const text = written
    .trim()
    .replace(/^git\+/, "")
    .replace(/#.*$/, "");
  const [, kind = "github", path] =
    /^(?:(github|gitlab|bitbucket):)?([\w.-]+\/[\w.-]+)$/.exec(text) ?? [];
  if (path !== undefined) return `${SHORT[kind]}/${path.replace(/\.git$/, "")}`;
  const [, host, rest] = /^(?:ssh:\/\/)?git@([\w.-]+)[:/](.+)$/.exec(text) ?? [];
  const address =
    host === undefined ? text.replace(/^git:\/\//, "https://") : `https://${host}/${rest}`;
  if (!/^https?:\/\//.test(address) || !URL.canParse(address)) return undefined;
  const url = new URL(address);
  url.username = "";
  url.password = "";
  return url.href.replace(/\.git\/?$|\/$/, "");
}

/** The address of a repository, in one form for all protocols; a path stays as it is. */
export function nameOfRepository(url: string): string {
  const address = /:\/\/|^[\w.-]+@/.test(url) ? repositoryAddress(url) : undefined;
  return address ?? url.replace(/\/\/[^/@]*@/, "//");
}
