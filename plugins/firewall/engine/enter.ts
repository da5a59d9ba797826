/**
 * Runs as a process of its own inside the new network namespace: opens the listening sockets there, hands them out to
 * the parent, and turns into the sandboxed command when told to. Only Node's own modules: start-up time counts.
 */
import { createSocket } from "node:dgram";
import { readdirSync, readFileSync } from "node:fs";
import { createServer as createTcpServer } from "node:net";

/** Which sockets to open. */
export interface EnterPlan {
  /** Port of the explicit proxy on the namespace's loopback. */
  readonly proxyPort: number;
  /** Addresses on which port 53 answers. */
  readonly dnsServers: readonly string[];
  /** Ports that lead to the host, open on `hostAddress` only. */
  readonly hostPorts: readonly number[];
  readonly hostAddress: string;
}

/** What comes with each handle. */
export type SocketHandle =
  | { readonly kind: "web" | "tls" | "proxy" }
  | { readonly kind: "host"; readonly port: number }
  | { readonly kind: "dns-tcp" | "dns-udp"; readonly server: string }
  | { readonly kind: "ready" }
  | { readonly kind: "failed"; readonly reason: string };

/** What the process becomes: a shell script that ends in an `exec`, and its `$1`, `$2`, …. */
export interface ExecOrder {
  readonly script: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  /** Who it becomes first; absent: it stays who it is. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

/** What the parent sends: first `open`, then one of the others. */
export type EnterMessage =
  | { readonly kind: "open"; readonly plan: EnterPlan }
  | { readonly kind: "exec"; readonly order: ExecOrder }
  /** Wait for the order as a shell: its text comes by the pipe `order` of the directory. */
  | { readonly kind: "park"; readonly directory: string };

/** Opens everything; the handles stay open here until the exec closes them, so no connection can be lost. */
async function open(plan: EnterPlan): Promise<void> {
  await handOutServer({ kind: "web" }, everywhere, 80);
  await handOutServer({ kind: "tls" }, everywhere, 443);
  await handOutServer({ kind: "proxy" }, "127.0.0.1", plan.proxyPort);
  for (const port of plan.hostPorts) {
    if (port === 80 || port === 443 || port === plan.proxyPort) continue;
    await handOutServer({ kind: "host", port }, plan.hostAddress, port);
  }
  for (const server of plan.dnsServers) {
    await handOutServer({ kind: "dns-tcp", server }, server, 53).catch(unusable);
    await handOutDatagrams({ kind: "dns-udp", server }, server).catch(unusable);
  }
  await report({ kind: "ready" });
}

/** Of both families. Node takes long to see that `::` is an address. */
const everywhere = undefined;

/** A link-local or foreign-scope server address cannot be bound; the other servers still work. */
function unusable(): void {}

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

/**
 * Descriptors that this process was given by whoever started it and that would survive the exec. An open directory
 * among them would be a way out of the sandbox.
 */
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

/** Does not return: the process is another one afterwards. */
function replaceProcess({ script, arguments: words, environment, user }: ExecOrder): void {
  if (user) {
    process.setgroups?.([user.gid]);
    process.setgid?.(user.gid);
    process.setuid?.(user.uid);
  }
  const closing = strayDescriptors().map((descriptor) => `exec ${descriptor}>&-; `);
  // Only bash can name a descriptor above 9.
  const shell = closing.length > 0 ? "/bin/bash" : "/bin/sh";
  process.execve?.(shell, ["sh", "-c", closing.join("") + script, "sh", ...words], {
    ...environment,
  });
}

function waiting(directory: string): ExecOrder {
  const environment = { PATH: process.env.PATH ?? "" };
  return { script: '. "$1/order"', arguments: [directory], environment };
}

async function obey(message: EnterMessage): Promise<void> {
  try {
    if (message.kind === "open") await open(message.plan);
    else if (message.kind === "exec") replaceProcess(message.order);
    else replaceProcess(waiting(message.directory));
  } catch (thrown) {
    await report({
      kind: "failed",
      reason: thrown instanceof Error ? thrown.message : String(thrown),
    });
    process.exit(1);
  }
}

process.on("message", (message: EnterMessage) => void obey(message));
// Without a parent there is nobody to decide, so nothing may run.
process.on("disconnect", () => process.exit(1));
