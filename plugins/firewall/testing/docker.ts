/**
 * A Docker engine for one test with its own data, socket, and network and mount namespaces. Ends with the test and
 * leaves nothing. Needs root.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  realpathSync,
  rmdirSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { basename, dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import { EngineApi } from "../engine/docker/api.js";

export interface DockerEngineForTests extends AsyncDisposable {
  readonly api: EngineApi;
  /** For awf. */
  readonly environment: Readonly<Record<string, string>>;
  /** Starts a registry that this engine finds at `127.0.0.1:5000`; `login` is `user:password` or empty. */
  startRegistry(login: string): Promise<ChildProcess>;
  /** Imports this machine's shell and `cat` as an image. */
  importImage(name: string): Promise<void>;
}

/** Mounts control groups for the engine alone if this machine mounts none. */
const prepare = `
ip link set lo up
[ -e /sys/fs/cgroup/cgroup.controllers ] || [ -d /sys/fs/cgroup/memory ] || mount -t cgroup2 none /sys/fs/cgroup
exec "$@"`;
const programs = ["/bin/sh", "/bin/cat"];
const registryScript = fileURLToPath(new URL("./registry-process.js", import.meta.url));

export async function startDocker(): Promise<DockerEngineForTests> {
  const scratch = realpathSync(mkdtempSync(join(tmpdir(), "awf-docker-")));
  const socket = join(scratch, "docker.sock");
  const group = basename(scratch);
  let output = "";
  const daemon = spawn(
    "setpriv",
    [
      ...["--pdeathsig", "TERM", "--", "unshare", "--net", "--mount", "--", "sh", "-c", prepare],
      ...["sh", "dockerd", "--data-root", join(scratch, "data"), "--exec-root"],
      ...[join(scratch, "exec"), "--pidfile", join(scratch, "pid"), "--host", `unix://${socket}`],
      ...["--storage-driver", "vfs", "--bridge", "none", "--iptables=false", "--ip6tables=false"],
      ...["--ip-masq=false", "--ip-forward=false", "--userland-proxy=false"],
      ...["--cgroup-parent", `/${group}`],
    ],
    { stdio: ["ignore", "ignore", "pipe"] },
  );
  daemon.stderr.setEncoding("utf8").on("data", (text: string) => {
    output = (output + text).slice(-4000);
  });
  const api = new EngineApi(socket);
  await answering(api, daemon, () => output);
  const helpers: ChildProcess[] = [];
  return {
    api,
    environment: { DOCKER_HOST: `unix://${socket}` },
    async importImage(name) {
      const [repository = "", tag = "latest"] = name.split(/:(?=[^/]+$)/);
      const query = new URLSearchParams({ fromSrc: "-", repo: repository, tag });
      await api.follow(`/images/create?${query}`, { body: smallestRoot(scratch) });
    },
    async startRegistry(login) {
      const archive = join(scratch, "registry.tar");
      writeFileSync(archive, smallestRoot(scratch));
      const registry = spawn(
        "nsenter",
        [`--net=/proc/${daemon.pid}/ns/net`, process.execPath, registryScript, archive, login],
        { stdio: ["ignore", "inherit", "inherit", "ipc"] },
      );
      helpers.push(registry);
      await once(registry, "message");
      return registry;
    },
    async [Symbol.asyncDispose]() {
      for (const helper of helpers) helper.kill("SIGKILL");
      const ended = once(daemon, "exit");
      daemon.kill("SIGTERM");
      await ended;
      rmSync(scratch, { recursive: true, force: true });
      removeGroups(group);
    },
  };
}

async function answering(
  api: EngineApi,
  daemon: ChildProcess,
  output: () => string,
): Promise<void> {
  for (;;) {
    try {
      await api.ask("GET", "/version");
      return;
    } catch {
      if (daemon.exitCode !== null) throw new Error(`the engine did not start:\n${output()}`);
      await sleep(50);
    }
  }
}

/** A tar archive of a root with a shell, `cat` and their libraries. */
function smallestRoot(scratch: string): Buffer {
  const root = mkdtempSync(join(scratch, "root-"));
  chmodSync(root, 0o755);
  for (const directory of ["bin", "etc", "tmp"]) mkdirSync(join(root, directory));
  for (const program of programs) {
    copyFileSync(realpathSync(program), join(root, program));
    const { stdout } = spawnSync("ldd", [realpathSync(program)], { encoding: "utf8" });
    for (const [library] of stdout.matchAll(/\/\S+/g)) {
      mkdirSync(join(root, dirname(library)), { recursive: true });
      cpSync(realpathSync(library), join(root, library));
    }
  }
  return spawnSync("tar", ["-C", root, "-c", "."], { maxBuffer: 2 ** 28 }).stdout;
}

/** Removes the empty group that the engine leaves. */
function removeGroups(name: string): void {
  const root = "/sys/fs/cgroup";
  const controllers = existsSync(join(root, "cgroup.controllers"))
    ? [root]
    : ["memory", "pids", "cpu", "cpuacct", "cpuset", "blkio", "devices", "freezer", "systemd"].map(
        (controller) => join(root, controller),
      );
  for (const directory of controllers.map((controller) => join(controller, name))) {
    if (existsSync(directory)) rmdirSync(directory);
  }
}
