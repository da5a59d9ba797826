/** A container of an image under runc, in its own network, with a read-only root. */
import { chownSync, mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { basename, join } from "node:path";
import type { ExecutionContext } from "ava";
import { child, runSync } from "../support/child.js";
import { eventually, within } from "../support/eventually.js";
import { folder } from "../support/folder.js";
import { must } from "./build.js";
import type { Image, ImageConfig } from "./layout.js";

export interface Container {
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

/** As an engine does it: layers one over the other. */
export async function unpack(
  { layers }: Image,
  blob: (digest: string) => string,
  root: string,
): Promise<string> {
  mkdirSync(root);
  for (const { digest } of layers) {
    await must("tar", ["-xzpf", blob(digest), "--numeric-owner", "-C", root]);
  }
  return root;
}

/** A bundle from the image's configuration, without rights; `root` has the layers. */
export function createContainer(t: ExecutionContext, { config }: Image, root: string): Container {
  const bundle = folder(t);
  const state = join(bundle, "state");
  mkdirSync(state, { mode: 0o700 });
  chownSync(state, 65532, 65532);
  const runtime = runtimeConfiguration(config, root, state);
  writeFileSync(join(bundle, "config.json"), JSON.stringify(runtime));
  return { started: () => startedIn(t, bundle) };
}

function runtimeConfiguration({ config }: ImageConfig, root: string, state: string): object {
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
    root: { path: root, readonly: true },
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
  // Its processes are not those of runc.
  t.teardown(() => runSync("runc", [...runc, "delete", "--force", name]));
  const container = child(t, "runc", [
    ...runc,
    "run",
    "--bundle",
    bundle,
    "--pid-file",
    file,
    name,
  ]);
  const isUp = (): true => {
    if (container.isAlive) return true;
    throw new Error(container.stdout + container.stderr);
  };
  await eventually(
    "the container to start",
    () => !container.isAlive || (statSync(file, { throwIfNoEntry: false })?.size ?? 0) > 0,
  );
  isUp();
  const init = readFileSync(file, "utf8");
  const children = () =>
    readFileSync(`/proc/${init}/task/${init}/children`, "utf8").trim().split(" ");
  const execute = (...words: readonly string[]) => must("runc", [...runc, "exec", name, ...words]);
  const net = [`--net=/proc/${init}/ns/net`];
  await must("nsenter", [...net, "ip", "link", "set", "lo", "up"]);
  return {
    get pid() {
      return children()[0] ?? "";
    },
    children,
    execute,
    ready: async () => {
      await eventually(
        "the daemon to be ready",
        async () => !container.isAlive || execute("reeve", "status", "--ready"),
        { every: 50 },
      );
      isUp();
    },
    get: async (path) =>
      (await must("nsenter", [...net, "curl", "-sS", `http://127.0.0.1:9000${path}`])).stdout,
    async stopped() {
      await must("runc", [...runc, "kill", name, "TERM"]);
      return Number(await within("the end of the container", container.ended));
    },
  };
}
