/**
 * Runs as its own process in the new network namespace: opens the listening sockets, hands them to the parent, and
 * then becomes the sandboxed command. Imports only Node's modules, because start-up time counts.
 */
import { createSocket } from "node:dgram";
import { readdirSync, readFileSync } from "node:fs";
import { createServer as createTcpServer } from "node:net";

/** The sockets to open. */
export interface EnterPlan {
  /** Port of the explicit proxy on the namespace's loopback. */
  readonly proxyPort: number;
  /** Addresses that answer on port 53. */
  readonly dnsServers: readonly string[];
  /** Ports that lead to the host, on `hostAddress` only. */
  readonly hostPorts: readonly number[];
  readonly hostAddress: string;
  /** Further ports of every address. */
  readonly ports: readonly number[];
}

/** Sent with each handle. */
export type SocketHandle =
  | { readonly kind: "web" | "tls" | "proxy" }
  | { readonly kind: "host" | "port"; readonly port: number }
  | { readonly kind: "dns-tcp" | "dns-udp"; readonly server: string }
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly reason: string };

/** The command to become: a shell script that ends in `exec`, with its `$1`, `$2`, …. */
export interface ExecOrder {
  readonly script: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** The user that the script switches to. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

/** Messages of the parent: `open`, then one of the others. */
export type EnterMessage =
  | { readonly kind: "open"; readonly plan: EnterPlan }
  | { readonly kind: "exec"; readonly order: ExecOrder }
  /** Become a shell that waits for its script on the pipe `order` of the directory. */
  | { readonly kind: "park"; readonly directory: string };

/** Opens all sockets. They stay open here until the exec, so that no connection is lost. */
async function open(plan: EnterPlan): Promise<void> {
  await handOutServer({ kind: "web" }, everywhere, 80);
  await handOutServer({ kind: "tls" }, everywhere, 443);
  await handOutServer({ kind: "proxy" }, "127.0.0.1", plan.proxyPort);
  const taken = new Set([80, 443, plan.proxyPort, ...(plan.dnsServers.length > 0 ? [53] : [])]);
  for (const port of plan.ports) {
    if (taken.has(port)) continue;
    taken.add(port);
    await handOutServer({ kind: "port", port }, everywhere, port);
  }
  for (const port of plan.hostPorts) {
    if (taken.has(port)) continue;
    await handOutServer({ kind: "host", port }, plan.hostAddress, port);
  }
  for (const server of plan.dnsServers) {
    await handOutServer({ kind: "dns-tcp", server }, server, 53).catch(ignoreUnusable);
    await handOutDatagrams({ kind: "dns-udp", server }, server).catch(ignoreUnusable);
  }
  await report({ kind: "ready" });
}

/** Both families. Node takes long to parse `::`. */
const everywhere = undefined;

/** A link-local or foreign-scope address cannot be bound; the other servers still work. */
function ignoreUnusable(): void {}

function handOutServer(what: SocketHandle, host: string | undefined, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    const server = createTcpServer();
    server.once("error", reject);
    server.listen({ ...(host === undefined ? {} : { host }), port, backlog: 1024 }, () => {
      process.send?.(what, server, { keepOpen: true }, (error) =>
        error ? reject(error) : resolve(),
      );
    });
  });
}

function handOutDatagrams(what: SocketHandle, server: string): Promise<void> {
  return new Promise((resolve, reject) => {
    const socket = createSocket(server.includes(":") ? "udp6" : "udp4");
    socket.once("error", reject);
    socket.bind(53, server, () => {
      process.send?.(what, socket, { keepOpen: true }, (error) =>
        error ? reject(error) : resolve(),
      );
    });
  });
}

function report(what: SocketHandle): Promise<void> {
  return new Promise((resolve) => {
    process.send?.(what, undefined, undefined, () => resolve());
  });
}

/** Inherited descriptors that would survive the exec. An open directory among them would lead out of the sandbox. */
function strayDescriptors(): string[] {
  return readdirSync("/proc/self/fd").filter((descriptor) => {
    if (Number(descriptor) <= 2) return false;
    try {
      const [, flags = "0"] =
        /^flags:\s*(\d+)/m.exec(readFileSync(`/proc/self/fdinfo/${descriptor}`, "utf8")) ?? [];
      return (Number.parseInt(flags, 8) & 0o2000000) === 0;
    } catch {
      return false;
    }
  });
}

/** Does not return. */
function replaceProcess({ script, arguments: words, environment }: ExecOrder): void {
  const closing = strayDescriptors().map((descriptor) => `exec ${descriptor}>&-; `);
  // Only bash can name descriptors above 9.
  const shell = closing.length > 0 ? "/bin/bash" : "/bin/sh";
  process.execve?.(shell, ["sh", "-c", closing.join("") + script, "sh", ...words], {
    ...environment,
  });
}

function idleShell(directory: string): ExecOrder {
  const environment = { PATH: process.env.PATH ?? "" };
  return { script: '. "$1/order"', arguments: [directory], environment };
}

async function handleMessage(message: EnterMessage): Promise<void> {
  try {
    if (message.kind === "open") await open(message.plan);
    else if (message.kind === "exec") replaceProcess(message.order);
    else replaceProcess(idleShell(message.directory));
  } catch (thrown) {
    await report({
      kind: "failed",
      reason: thrown instanceof Error ? thrown.message : String(thrown),
    });
    process.exit(1);
  }
}

// The signal's default is Node's debugger.
process.on("SIGUSR1", () => undefined);
// Node ignores these, and what it becomes would, too. With a listener it has the default.
for (const signal of ["SIGPIPE", "SIGXFSZ"] as const) process.on(signal, () => undefined);
process.on("message", (message: EnterMessage) => void handleMessage(message));
// Without a parent, which holds the policy, nothing may run.
process.on("disconnect", () => process.exit(1));
