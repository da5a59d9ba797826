/** Network namespaces with only a loopback device, on which every address is local, and their sockets. */

import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import type { Socket as DatagramSocket } from "node:dgram";
import { once } from "node:events";
import type { Server } from "node:net";
import { isSea } from "node:sea";
import { fileURLToPath } from "node:url";
import { FirewallError } from "../errors.js";
import type { EnterMessage, EnterPlan, ExecOrder, SocketHandle } from "./enter.js";
import { helper, helperPath } from "./helpers.js";
import { type StandardFiles, standardFiles } from "./standard-files.js";

/** The listening sockets of a namespace, accepted in this process. */
export interface NamespaceSockets {
  /** Port 80 of every address. */
  readonly web: Server;
  /** Port 443 of every address. */
  readonly tls: Server;
  /** The explicit proxy on the namespace's loopback. */
  readonly proxy: Server;
  readonly dnsTcp: ReadonlyMap<string, Server>;
  readonly dnsUdp: ReadonlyMap<string, DatagramSocket>;
  readonly host: ReadonlyMap<number, Server>;
  /** Further ports of every address. */
  readonly ports: ReadonlyMap<number, Server>;
}

/** One of the two is set. */
export interface SandboxExit {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

/** An open namespace that is ready for one command. */
export interface Namespace {
  /** The ancestor of all processes inside. Its `/proc/PID/net` is the namespace's. */
  readonly pid: number;
  readonly sockets: NamespaceSockets;
  /** What the process inside has as input and outputs. */
  readonly files: StandardFiles;
  readonly process: ChildProcess;
  readonly exited: Promise<SandboxExit>;
  /** Turns the entering process into the command. Once. */
  exec(order: ExecOrder): void;
  /** Closes this side's sockets. */
  close(): void;
}

const everythingIsLocal = [
  "link set lo up",
  "route add local 0.0.0.0/0 dev lo",
  "route add local ::/0 dev lo",
].join("\\n");

const enterScript = fileURLToPath(new URL("./enter.js", import.meta.url));

/** A namespace that another process is creating. */
export interface PendingNamespace {
  readonly process: ChildProcess;
  /** Opens its sockets. Once. @throws {FirewallError} `cannot_isolate` */
  open(plan: EnterPlan): Promise<Namespace>;
  /** Ends it at any point, even after it is open. */
  abandon(): Promise<void>;
}

/**
 * Starts to create a namespace, rootless unless this process is root. The first process of its process namespace dies
 * with this process, and the kernel then ends all others. `pipes` are paths of named pipes to create.
 */
export function beginNamespace(
  stdio: StdioOptions,
  pipes: readonly string[] = [],
): PendingNamespace {
  const user = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
  // Bubblewrap looks its child up in `/proc` by its number inside, which the host's `/proc` does not have.
  const namespaces = [...user, "--net", "--pid", "--fork", "--mount-proc", "--kill-child=KILL"];
  const made = pipes.length > 0 ? `mkfifo -m 600 ${pipes.map(quoteWord).join(" ")} && ` : "";
  // What is mounted here later appears in the mounts that bubblewrap makes of these.
  const first = `${quoteWord(helper("mount"))} --make-rshared / && ${made}`;
  return begin([helper("unshare"), ...namespaces, "--"], everythingIsLocal, stdio, first);
}

/**
 * Does the same in the existing network namespace of a process, as root, and disables the named interfaces. Once it is
 * open, it may be abandoned: its sockets stay.
 */
export function joinNamespace(pid: number, interfaces: readonly string[]): PendingNamespace {
  const unused = interfaces.map((name) => `link set ${name} down`);
  const batch = [...unused, everythingIsLocal].join("\\n");
  return begin(
    [helper("nsenter"), `--net=/proc/${pid}/ns/net`, "--"],
    batch,
    ["ignore", "ignore", "ignore"],
    withIpv6,
  );
}

/** Engines disable IPv6 in containers; here every IPv6 address must lead to the proxy. */
const withIpv6 =
  "for f in all lo; do echo 0 > /proc/sys/net/ipv6/conf/$f/disable_ipv6; done 2>/dev/null; ";

function begin(
  wrapper: readonly string[],
  batch: string,
  stdio: StdioOptions,
  first = "",
): PendingNamespace {
  const script = `${first}printf '${batch}\\n' | ${quoteWord(helper("ip"))} -batch - && exec "$@"`;
  const enter = [
    helper("sh"),
    "-c",
    script,
    "sh",
    process.execPath,
    "--disable-warning=ExperimentalWarning",
    enterScript,
  ];
  const child = spawn(helper("setpriv"), ["--pdeathsig", "KILL", "--", ...wrapper, ...enter], {
    stdio: [...(stdio as []), "ipc"],
    env: { PATH: helperPath, ...(isSea() && { REEVE_MODULE: "1" }) },
  });
  const exited = exitOf(child);
  const files = standardFiles(stdio as []);
  return {
    process: child,
    async open(plan) {
      const collected = collect(child, exited);
      // A failed send shows as the process's end.
      child.send({ kind: "open", plan } satisfies EnterMessage, () => {});
      return namespace(child, exited, await collected, files);
    },
    async abandon() {
      child.kill("SIGKILL");
      await exited;
    },
  };
}

async function exitOf(child: ChildProcess): Promise<SandboxExit> {
  const [code, signal] = (await Promise.race([
    once(child, "exit"),
    once(child, "error").then(() => [127, null]),
  ])) as [number | null, NodeJS.Signals | null];
  return { code, signal };
}

/** Closes the handles received before a failure, which would keep this process alive. */
function collect(child: ChildProcess, exited: Promise<SandboxExit>): Promise<NamespaceSockets> {
  const single = new Map<string, Server>();
  const dnsTcp = new Map<string, Server>();
  const dnsUdp = new Map<string, DatagramSocket>();
  const host = new Map<number, Server>();
  const ports = new Map<number, Server>();
  const all = new Set<Server | DatagramSocket>();
  let failed = false;
  return new Promise((resolve, reject) => {
    const fail = (reason: string) => {
      failed = true;
      for (const each of all) each.close();
      all.clear();
      reject(cannotEnter(reason));
    };
    const ended = () => fail("the process that opens it ended early");
    exited.then(ended, ended);
    child.once("error", (thrown) => fail(thrown.message));
    child.on("message", (message: SocketHandle, handle) => {
      if (message.kind === "failed") return fail(message.reason);
      if (message.kind === "ready") {
        const [web, tls, proxy] = [single.get("web"), single.get("tls"), single.get("proxy")];
        if (!web || !tls || !proxy) return fail("a listening socket is missing");
        all.clear();
        return resolve({ web, tls, proxy, dnsTcp, dnsUdp, host, ports });
      }
      const socket = handle as Server | DatagramSocket;
      if (failed) return void socket.close();
      all.add(socket);
      // Node accepts as soon as the handle arrives, so the connection waits in the server's backlog.
      if (message.kind === "host") host.set(message.port, socket as Server);
      else if (message.kind === "port") ports.set(message.port, socket as Server);
      else if (message.kind === "dns-tcp") dnsTcp.set(message.server, socket as Server);
      else if (message.kind === "dns-udp") dnsUdp.set(message.server, socket as DatagramSocket);
      else single.set(message.kind, socket as Server);
    });
  });
}

function namespace(
  child: ChildProcess,
  exited: Promise<SandboxExit>,
  sockets: NamespaceSockets,
  files: StandardFiles,
): Namespace {
  return {
    pid: child.pid ?? 0,
    sockets,
    files,
    process: child,
    exited,
    exec(order) {
      child.send({ kind: "exec", order } satisfies EnterMessage);
    },
    close() {
      for (const server of [sockets.web, sockets.tls, sockets.proxy]) server.close();
      const { host, ports, dnsTcp } = sockets;
      for (const map of [host, ports, dnsTcp]) for (const server of map.values()) server.close();
      for (const socket of sockets.dnsUdp.values()) socket.close();
    },
  };
}

function cannotEnter(reason: string): FirewallError {
  return new FirewallError(
    "cannot_isolate",
    `Cannot make a network namespace: ${reason}. \`awf doctor\` says what this system lacks`,
  );
}

export function quoteWord(word: string): string {
  return /^[A-Za-z0-9_\-./=:]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
