/** `git+URL#BRANCH` and its options, as the settings of a source. */
import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { RunOptions } from "../../daemon/main.js";
import { choice, text } from "../plugin-api/command.js";
import { Exit, Failure } from "../plugin-api/exit.js";

type SourceSettings = NonNullable<RunOptions["source"]>;

export const sourceOptions = {
  path: text("DIR", "with git+URL: the directory of main.reeve in the repository"),
  signers: text("FILE", "with git+URL: the allowed signers; without it signatures are not checked"),
  revoked: text("FILE", "with git+URL: revoked keys"),
  anchor: text(
    "COMMIT",
    "with git+URL: the commit that the first one descends from, or a rewritten branch's newest one",
  ),
  history: choice(
    ["forward", "any"],
    "with git+URL: whether a branch may be rewritten (default: forward)",
  ),
  poll: text("SECONDS", "with git+URL: the time between two polls (default: 60)"),
  tokenFile: text("FILE", "with git+URL: a token or password"),
  user: text("NAME", "with git+URL: the user of the token (default: git)"),
  sshKey: text("FILE", "with git+URL: the key for ssh"),
  knownHosts: text("FILE", "with git+URL: the host keys for ssh"),
  commits: text(
    "DIR",
    "with git+URL: where commits are written (default: source in the state directory)",
  ),
};

export type SourceOptions = {
  readonly [Name in keyof typeof sourceOptions]?: string | undefined;
};

const usage = (message: string, help: string): Failure =>
  new Failure(Exit.usage, message, { help });

/** `undefined` for a file. @throws Failure for a wrong address or option */
export function sourceFrom(
  named: string | undefined,
  options: SourceOptions,
): SourceSettings | undefined {
  const names = Object.keys(sourceOptions) as ReadonlyArray<keyof SourceOptions>;
  if (named === undefined || !named.startsWith("git+")) {
    const given = names.find((name) => options[name] !== undefined);
    if (given === undefined) return undefined;
    const option = given.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
    throw usage(
      `\`--${option}\` belongs to a git repository`,
      "Name one: `reeve up git+https://HOST/REPOSITORY.git#BRANCH`.",
    );
  }
  const [url = "", branch = "", ...more] = named.slice("git+".length).split("#");
  checkAddress(url);
  if (more.length > 0 || !/^(?![-/.])(?!.*(\.\.|\/\/|@\{))[\w./+-]+(?<![/.])$/.test(branch)) {
    throw usage(
      `\`${named}\` names no branch`,
      "Write it behind `#`: `git+https://HOST/REPOSITORY.git#main`.",
    );
  }
  const { path = "", poll = "60", anchor, history, user } = options;
  if (!/^(?!.*(^|\/)\.{1,2}(\/|$))[^/\0:]*(\/[^/\0:]+)*$/.test(path)) {
    throw usage(`\`--path ${path}\` is no directory of a repository`, "Write `hosts/web-1`.");
  }
  if (!/^\d{1,5}$/.test(poll) || Number(poll) === 0) {
    throw usage(`\`--poll ${poll}\` is no number of seconds`, "Write 1 to 99999.");
  }
  if (anchor !== undefined && !/^[0-9a-f]{7,64}$/.test(anchor)) {
    throw usage(`\`--anchor ${anchor}\` is no commit`, "Write at least 7 hexadecimal digits.");
  }
  return {
    url,
    branch,
    path,
    history: history === "any" ? "any" : "forward",
    poll: Number(poll) * 1000,
    anchor,
    user,
    signers: file("signers", options.signers),
    revoked: file("revoked", options.revoked),
    tokenFile: file("token-file", options.tokenFile),
    sshKey: file("ssh-key", options.sshKey),
    knownHosts: file("known-hosts", options.knownHosts),
    directory: options.commits === undefined ? undefined : resolve(options.commits),
  };
}

/** A password in an address would be seen in `ps` and in the log. */
function checkAddress(url: string): void {
  const known = /^(https?|ssh|file):\/\/[^\s-]\S*$/.test(url);
  const isPassword = /^\w+:\/\/[^/]*:[^/]*@/.test(url);
  if (known && !isPassword) return;
  throw isPassword
    ? usage("the address contains a password", "Put it in a file, and use `--token-file FILE`.")
    : usage(
        `\`${url}\` is no address of a repository`,
        "It starts with https://, ssh:// or file://.",
      );
}

function file(option: string, path: string | undefined): string | undefined {
  if (path === undefined) return undefined;
  const absolute = resolve(path);
  if (existsSync(absolute)) return absolute;
  throw new Failure(Exit.noInput, `there is no \`${path}\``, {
    help: `\`--${option}\` names a file on this host.`,
  });
}

/** Decides the usual state directory: each branch and directory of a repository has its own. */
export function stateRoot({ url, branch, path }: SourceSettings): string {
  const name =
    (path || url)
      .replace(/\.git$/, "")
      .split("/")
      .at(-1) ?? "";
  return `/${branch}/${url}/${path}/${name.replace(/[^\w.-]/g, "") || "repository"}/main.reeve`;
}
