/** Lists tags and branches of a git repository without cloning it: by the HTTP protocol, else by `git ls-remote`. */
import type { ProcessRequest, ProcessResult } from "reeve/plugin";
import { UpdatesError } from "../errors.js";
import type { GitReference, RegistryRequest } from "./contract.js";
import { shown } from "./credentials.js";
import type { Egress } from "./egress.js";

export type ListReferences = (url: string) => Promise<readonly GitReference[]>;

/** The advertised references; static file servers provide them, too. */
export function smartReferences(url: string): RegistryRequest<readonly GitReference[]> {
  return {
    url: `${url.replace(/\/+$/, "")}/info/refs?service=git-upload-pack`,
    purpose: "references",
    digest: ({ header, body }) => {
      const text = new TextDecoder().decode(body);
      const smart = header("content-type") === "application/x-git-upload-pack-advertisement";
      return peeled(smart ? packetLines(text) : text.split("\n"));
    },
  };
}

/** The payloads of a packet stream: four hexadecimal digits of length, then the content. References are ASCII here. */
function packetLines(text: string): readonly string[] {
  const lines: string[] = [];
  for (let at = 0; at < text.length; ) {
    const length = Number.parseInt(text.slice(at, at + 4), 16);
    if (Number.isNaN(length)) throw new Error("not a packet");
    if (length >= 4) lines.push(text.slice(at + 4, at + length));
    at += Math.max(4, length);
  }
  return lines;
}

/** `OID NAME` lines as references; `NAME^{}` replaces a tag object by its commit. */
function peeled(lines: readonly string[]): readonly GitReference[] {
  const found = new Map<string, string>();
  for (const line of lines) {
    const [, oid, name, commit] =
      /^([0-9a-f]{40,64})[ \t](\S+?)(\^\{\})?(?:\0.*)?\n?$/.exec(line) ?? [];
    if (oid === undefined || name === undefined || name === "capabilities") continue;
    if (commit !== undefined || !found.has(name)) found.set(name, oid);
  }
  return [...found].map(([name, oid]) => ({ name, oid }));
}

export interface LsRemoteOptions {
  readonly egress: Egress;
  readonly run: (request: ProcessRequest) => Promise<ProcessResult>;
  /** Directories whose repositories are allowed by path or `file:`. The text of a repository must not lead anywhere else. */
  readonly local: readonly string[];
  /** Milliseconds. @default 15000 */
  readonly timeout?: number;
}

/** Uses `git ls-remote`: ssh, git and allowed local repositories. */
export function lsRemote({
  run,
  local,
  egress,
  timeout = 15_000,
}: LsRemoteOptions): ListReferences {
  return async (url) => {
    const path = localPath(url);
    const remote = path === undefined ? remoteOf(url) : undefined;
    const allowed =
      path === undefined
        ? remote !== undefined
        : local.some((root) => `${path}/`.startsWith(root.replace(/\/*$/, "/")));
    if (!allowed || path?.split("/").includes(".."))
      throw new UpdatesError(
        "lookup_failed",
        `${shown(url)} is not asked: such addresses are not allowed.`,
      );
    // Git connects to the address that was checked, whatever the name resolves to later.
    const address = remote && (await addressOf(remote.host, url, egress));
    const target = remote?.isGit ? url.replace(remote.written, bracketed(address ?? "")) : url;
    const result = await run({
      argv: ["git", "ls-remote", "--quiet", "--", path ?? target],
      cwd: "/",
      env: {
        PATH: process.env.PATH ?? "/usr/bin:/bin",
        HOME: "/nonexistent",
        GIT_TERMINAL_PROMPT: "0",
        GIT_CONFIG_NOSYSTEM: "1",
        GIT_CONFIG_GLOBAL: "/dev/null",
        GIT_ALLOW_PROTOCOL: path === undefined ? "ssh:git" : "file",
        GIT_SSH_COMMAND: `ssh -oBatchMode=yes${remote ? ` -oHostName=${address} -oHostKeyAlias=${remote.key}` : ""}`,
        // Repositories of the host belong to other users.
        GIT_CONFIG_COUNT: "1",
        GIT_CONFIG_KEY_0: "safe.directory",
        GIT_CONFIG_VALUE_0: "*",
      },
      inheritEnv: false,
      timeout,
      outputLimit: 32 * 1024 * 1024,
      output: "separate",
    });
    if (result.outcome === "exited" && result.exitCode === 0)
      return peeled(new TextDecoder().decode(result.stdout).split("\n"));
    const said = new TextDecoder().decode(result.stderr).trim().split("\n").at(-1) ?? "";
    if (
      /does not (appear to be a git repository|exist)|not found/i.test(
        new TextDecoder().decode(result.stderr),
      )
    )
      throw new UpdatesError("package_unknown", `${shown(url)} is no git repository.`);
    throw new UpdatesError(
      "lookup_failed",
      `${shown(url)} did not answer: ${result.error ?? (said || result.outcome)}.`,
    );
  };
}

const localPath = (url: string): string | undefined => {
  if (url.startsWith("/")) return url;
  if (!/^file:\/\//i.test(url) || !URL.canParse(url)) return undefined;
  return decodeURIComponent(new URL(url).pathname);
};

interface Remote {
  readonly host: string;
  /** As in the URL. */
  readonly written: string;
  /** Its name in `known_hosts`. */
  readonly key: string;
  readonly isGit: boolean;
}

/** The host of an `ssh` or `git` URL. Only plain names and addresses: a shell reads ssh's options. */
function remoteOf(url: string): Remote | undefined {
  const [, scheme, , written, port] =
    /^(ssh|git):\/\/([\w.~-]+@)?(\w[\w.-]*|\[[0-9a-f:.]+\])(?::(\d+))?\//i.exec(url) ?? [];
  const [, short] = /^[\w.-]+@(\w[\w.-]*):[^-]/.exec(url) ?? [];
  const host = written ?? short;
  if (host === undefined) return undefined;
  return {
    ...{ host: host.replace(/^\[|\]$/g, "").toLowerCase(), written: host },
    key: port === undefined || port === "22" ? host : `[${host}]:${port}`,
    isGit: scheme?.toLowerCase() === "git",
  };
}

async function addressOf(host: string, url: string, egress: Egress): Promise<string> {
  try {
    return await egress.addressOf(host, url);
  } catch (thrown) {
    if (thrown instanceof UpdatesError) throw thrown;
    const { code } = thrown as NodeJS.ErrnoException;
    throw new UpdatesError("lookup_failed", `${host} cannot be reached: ${code}.`, {
      cause: thrown,
    });
  }
}

const bracketed = (address: string): string => (address.includes(":") ? `[${address}]` : address);
