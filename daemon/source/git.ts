/** Runs git so that neither the user's nor the system's nor a repository's configuration decides what it does. */
import { spawn } from "node:child_process";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { SourceRefusal, type SourceSettings } from "./contract.js";

export interface GitResult {
  readonly code: number;
  readonly stdout: Buffer;
  readonly stderr: string;
}

export interface GitRun {
  readonly input?: string;
  readonly token?: string | undefined;
  /** Bytes of standard output; more is a refusal. @default 16 MiB */
  readonly largest?: number;
}

/** Milliseconds that one git process may take. */
const TIMEOUT = 60_000;
const LARGEST = 16 * 1024 * 1024;

const fixed = [
  "protocol.version=2",
  "transfer.fsckObjects=true",
  "http.followRedirects=false",
  "http.lowSpeedLimit=1000",
  "http.lowSpeedTime=30",
  "gc.auto=0",
  "maintenance.auto=false",
  "core.hooksPath=/dev/null",
  "core.fsmonitor=false",
  "credential.helper=",
  "gpg.program=gpg",
];

export class Git {
  readonly #directory: string;
  readonly #settings: SourceSettings;
  readonly #signal: AbortSignal;
  readonly #timeout: number;

  /** `directory` is the program's own: the mirror, a home without files, the password helper. */
  constructor(
    directory: string,
    settings: SourceSettings,
    signal: AbortSignal,
    timeout: number = TIMEOUT,
  ) {
    this.#directory = directory;
    this.#settings = settings;
    this.#signal = signal;
    this.#timeout = timeout;
  }

  get mirror(): string {
    return join(this.#directory, "mirror.git");
  }

  async prepare(): Promise<void> {
    const home = join(this.#directory, "home");
    await mkdir(join(home, "gnupg"), { recursive: true, mode: 0o700 });
    const helper = join(home, "password");
    await writeFile(helper, PASSWORD_HELPER, { mode: 0o700 });
  }

  /** @throws SourceRefusal `unreachable` after the timeout, and where there is no git */
  run(args: readonly string[], options: GitRun = {}): Promise<GitResult> {
    const { input, token, largest = LARGEST } = options;
    const settings = fixed.flatMap((each) => ["-c", each]);
    const child = spawn("git", ["--git-dir", this.mirror, ...settings, ...args], {
      cwd: this.#directory,
      env: this.#environment(token),
      stdio: ["pipe", "pipe", "pipe"],
      // Its own group: the transport of git is a child that has to end with it.
      detached: true,
    });
    return new Promise((resolve, reject) => {
      const chunks: Buffer[] = [];
      let [bytes, errors] = [0, ""];
      let refusal: SourceRefusal | undefined;
      const end = (reason: SourceRefusal): void => {
        refusal ??= reason;
        try {
          if (child.pid !== undefined) process.kill(-child.pid, "SIGKILL");
        } catch {
          // It has ended.
        }
      };
      const seconds = Math.round(this.#timeout / 1000);
      const timer = setTimeout(
        () => end(new SourceRefusal("unreachable", `git took longer than ${seconds} s`)),
        this.#timeout,
      );
      const stop = () => end(new SourceRefusal("unreachable", "the daemon stops"));
      this.#signal.addEventListener("abort", stop);
      child.stdout.on("data", (chunk: Buffer) => {
        bytes += chunk.length;
        if (bytes > largest) end(new SourceRefusal("too_large", `more than ${largest} bytes`));
        else chunks.push(chunk);
      });
      child.stderr.on("data", (chunk: Buffer) => {
        errors = (errors + chunk.toString("utf8")).slice(-16_384);
      });
      child.stdin.on("error", () => undefined);
      child.stdin.end(input ?? "");
      const done = (): void => {
        clearTimeout(timer);
        this.#signal.removeEventListener("abort", stop);
      };
      child.on("error", (thrown) => {
        done();
        reject(new SourceRefusal("unreachable", `git cannot be started: ${thrown.message}`));
      });
      child.on("close", (code) => {
        done();
        if (refusal) reject(refusal);
        else resolve({ code: code ?? 128, stdout: Buffer.concat(chunks), stderr: errors });
      });
      if (this.#signal.aborted) stop();
    });
  }

  #environment(token: string | undefined): NodeJS.ProcessEnv {
    const { user, url } = this.#settings;
    const home = join(this.#directory, "home");
    const { PATH, SSL_CERT_FILE, HTTPS_PROXY, https_proxy, NO_PROXY, no_proxy } = process.env;
    const passed = { PATH, SSL_CERT_FILE, HTTPS_PROXY, https_proxy, NO_PROXY, no_proxy };
    const protocol = /^(\w+):/.exec(url)?.[1] ?? "ssh";
    return {
      ...passed,
      LC_ALL: "C",
      HOME: home,
      XDG_CONFIG_HOME: home,
      GNUPGHOME: join(home, "gnupg"),
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      GIT_ALLOW_PROTOCOL: protocol,
      GIT_TERMINAL_PROMPT: "0",
      GIT_ASKPASS: join(home, "password"),
      GIT_SSH_COMMAND: this.#ssh(),
      REEVE_GIT_USER: user ?? "git",
      REEVE_GIT_TOKEN: token ?? "",
    };
  }

  #ssh(): string {
    const { sshKey, knownHosts } = this.#settings;
    const options = ["BatchMode=yes", "StrictHostKeyChecking=yes", "IdentitiesOnly=yes"];
    if (knownHosts) options.push(`UserKnownHostsFile=${knownHosts}`);
    const words = ["ssh", ...options.flatMap((each) => ["-o", each])];
    if (sshKey) words.push("-i", sshKey);
    return words.map((word) => `'${word.replaceAll("'", "'\\''")}'`).join(" ");
  }
}

/** The token is in git's environment only, never among arguments or in a file. */
const PASSWORD_HELPER = `#!/bin/sh
case "$1" in
Username*) printf '%s\\n' "$REEVE_GIT_USER" ;;
*) printf '%s\\n' "$REEVE_GIT_TOKEN" ;;
esac
`;

const DENIED =
  /authentication failed|could not read (username|password)|terminal prompts disabled|returned error: 40[13]|permission denied|access denied|host key verification failed/i;

/** What git says of a remote, in one sentence, and whether it answered at all. */
export function remoteFailure(stderr: string): SourceRefusal {
  const lines = stderr.split("\n").map((line) => line.trim());
  const said =
    lines.findLast((line) => /^(fatal|error): /.test(line)) ?? lines.findLast(Boolean) ?? "";
  const reason = said.replace(/^(fatal|error): /, "").replace(/\.$/, "");
  const code = DENIED.test(stderr) ? "denied" : "unreachable";
  return new SourceRefusal(code, reason || "git failed without a message");
}
