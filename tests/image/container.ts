/** A container of an image under runc, in its own network, with a read-only root. */
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import {
  chownSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { promisify } from "node:util";
import type { ExecutionContext } from "ava";
import type { Image, ImageConfig } from "./layout.js";

const run = promisify(execFile);

export interface Container {
  /** Where its layers are unpacked. */
  readonly root: string;
  started(): Promise<Started>;
}
interface Started {
  /** Of the daemon. */
  readonly pid: string;
  readonly children: () => readonly string[];
  readonly ready: () => Promise<void>;
  readonly get: (path: string) => Promise<string>;
  readonly execute: (...words: readonly string[]) => Promise<{ readonly stdout: string }>;
  /** Its exit code. */
  readonly stopped: () => Promise<number>;
}

/** As an engine does it: layers one over the other, then a bundle from the image's configuration, without rights. */
export async function createContainer(
  t: ExecutionContext,
  { config, layers }: Image,
  blob: (digest: string) => string,
): Promise<Container> {
  const bundle = mkdtempSync(join(tmpdir(), "reeve-bundle-"));
  const root = join(bundle, "rootfs");
  mkdirSync(root, { recursive: true });
  t.teardown(() => rmSync(bundle, { recursive: true, force: true }));
  for (const { digest } of layers) {
    await run("tar", ["-xzpf", blob(digest), "--numeric-owner", "-C", root]);
  }
  const state = join(bundle, "state");
  mkdirSync(state, { mode: 0o700 });
  chownSync(state, 65532, 65532);
  writeFileSync(join(bundle, "config.json"), JSON.stringify(runtimeConfiguration(config, state)));
  return { root, started: () => startedIn(t, bundle) };
}

function runtimeConfiguration({ config }: ImageConfig, state: string): object {
  const [uid, gid] = config.User.split(":").map(Number);
  const temporary = (destination: string, mode: string) => ({
    ...{ destination, type: "tmpfs", source: "tmpfs", options: ["nosuid", `mode=${mode}`] },
  });
  return {
    ociVersion: "1.0.2",
    process: {
      user: { uid, gid },
      args: [...config.Entrypoint, ...config.Cmd],
      env: config.Env,
      cwd: config.WorkingDir,
      capabilities: {},
      noNewPrivileges: true,
    },
    root: { path: "rootfs", readonly: true },
    mounts: [
      { destination: "/proc", type: "proc", source: "proc" },
      temporary("/dev", "755"),
      temporary("/tmp", "1777"),
      { destination: "/state", type: "bind", source: state, options: ["bind", "rw"] },
    ],
    linux: {
      namespaces: ["pid", "network", "ipc", "uts", "mount"].map((type) => ({ type })),
      maskedPaths: ["/proc/kcore", "/proc/keys"],
    },
  };
}

async function startedIn(t: ExecutionContext, bundle: string): Promise<Started> {
  const name = basename(bundle);
  const runc = ["--root", join(bundle, "runc")];
  const file = join(bundle, "pid");
  rmSync(file, { force: true });
  const child = spawn("runc", [...runc, "run", "--bundle", bundle, "--pid-file", file, name], {
    stdio: ["ignore", "pipe", "pipe"],
  });
  let said = "";
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding("utf8").on("data", (text: string) => {
      said += text;
    });
  }
  const ended = once(child, "exit") as Promise<[number]>;
  const kill = (signal: string) => run("runc", [...runc, "kill", name, signal]);
  t.teardown(async () => {
    if (child.exitCode === null) await kill("KILL").catch(() => child.kill("SIGKILL"));
    await ended;
  });
  await until(() => {
    if (child.exitCode !== null) throw new Error(said);
    return statSync(file, { throwIfNoEntry: false })?.size;
  });
  const init = readFileSync(file, "utf8");
  const children = () =>
    readFileSync(`/proc/${init}/task/${init}/children`, "utf8").trim().split(" ");
  const execute = (...words: readonly string[]) => run("runc", [...runc, "exec", name, ...words]);
  const net = [`--net=/proc/${init}/ns/net`];
  await run("nsenter", [...net, "ip", "link", "set", "lo", "up"]);
  return {
    get pid() {
      return children()[0] ?? "";
    },
    children,
    execute,
    ready: () =>
      until(() => {
        if (child.exitCode !== null) throw new Error(said);
        return execute("reeve", "status", "--ready").then(
          () => true,
          () => false,
        );
      }),
    get: async (path) =>
      (await run("nsenter", [...net, "curl", "-sS", `http://127.0.0.1:9000${path}`])).stdout,
    async stopped() {
      await kill("TERM");
      return (await ended)[0];
    },
  };
}

export async function until(holds: () => unknown): Promise<void> {
  while (!(await holds())) await sleep(50);
}
