/**
 * A Docker engine for one test with its own data, socket, and network and mount namespaces. Ends with the test and
 * leaves nothing. Needs root.
 */
import type { ChildProcess } from "node:child_process";
import { once } from "node:events";
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  realpathSync,
  rmdirSync,
} from "node:fs";
import { basename, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Child, child, type Ending, output } from "../../../tests/support/child.js";
import { eventually, within } from "../../../tests/support/eventually.js";
import { folder } from "../../../tests/support/folder.js";
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
  const ends: Array<() => unknown> = [];
  const t: Ending = { teardown: (end) => void ends.unshift(end) };
  const dispose = async (): Promise<void> => {
    for (const end of ends.splice(0)) await end();
  };
  try {
    return { ...(await startEngine(t)), [Symbol.asyncDispose]: dispose };
  } catch (thrown) {
    await dispose();
    throw thrown;
  }
}

async function startEngine(t: Ending): Promise<Omit<DockerEngineForTests, keyof AsyncDisposable>> {
  const scratch = folder(t);
  const socket = join(scratch, "docker.sock");
  const group = basename(scratch);
  t.teardown(() => removeGroups(group));
  const daemon = child(
    t,
    "setpriv",
    [
      ...["--pdeathsig", "TERM", "--", "unshare", "--net", "--mount", "--", "sh", "-c", prepare],
      ...["sh", "dockerd", "--data-root", join(scratch, "data"), "--exec-root"],
      ...[join(scratch, "exec"), "--pidfile", join(scratch, "pid"), "--host", `unix://${socket}`],
      ...["--storage-driver", "vfs", "--bridge", "none", "--iptables=false", "--ip6tables=false"],
      ...["--ip-masq=false", "--ip-forward=false", "--userland-proxy=false"],
      ...["--cgroup-parent", `/${group}`],
    ],
    // containerd may write its stacks into the temporary directory.
    { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, TMPDIR: scratch } },
  );
  // It ends its containers and what runs them, which are not in its process group.
  t.teardown(async () => {
    daemon.kill("SIGTERM");
    await within("the end of the engine", daemon.ended);
  });
  const api = new EngineApi(socket);
  await answering(api, daemon);
  return {
    api,
    environment: { DOCKER_HOST: `unix://${socket}` },
    async importImage(name) {
      const [repository = "", tag = "latest"] = name.split(/:(?=[^/]+$)/);
      const query = new URLSearchParams({ fromSrc: "-", repo: repository, tag });
      await api.follow(`/images/create?${query}`, { body: readFileSync(smallestRoot(scratch)) });
    },
    async startRegistry(login) {
      const archive = smallestRoot(scratch);
      const net = `--net=/proc/${daemon.pid}/ns/net`;
      const words = [net, process.execPath, registryScript, archive, login];
      const { process: registry } = child(t, "nsenter", words, {
        stdio: ["ignore", "inherit", "inherit", "ipc"],
      });
      await within("the registry", once(registry, "message"));
      return registry;
    },
  };
}

async function answering(api: EngineApi, daemon: Child): Promise<void> {
  await eventually("the engine to answer", async () => {
    if (daemon.isAlive) await api.ask("GET", "/version");
    return true;
  });
  if (!daemon.isAlive) throw new Error(`the engine did not start:\n${daemon.stderr.slice(-4000)}`);
}

/** The path of a tar archive of a root with a shell, `cat` and their libraries. */
function smallestRoot(scratch: string): string {
  const root = mkdtempSync(join(scratch, "root-"));
  chmodSync(root, 0o755);
  for (const directory of ["bin", "etc", "tmp"]) mkdirSync(join(root, directory));
  for (const program of programs) {
    copyFileSync(realpathSync(program), join(root, program));
    for (const [library] of output("ldd", [realpathSync(program)]).matchAll(/\/\S+/g)) {
      mkdirSync(join(root, dirname(library)), { recursive: true });
      cpSync(realpathSync(library), join(root, library));
    }
  }
  output("tar", ["-C", root, "-cf", `${root}.tar`, "."]);
  return `${root}.tar`;
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
