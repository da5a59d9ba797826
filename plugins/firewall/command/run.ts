/** One run: namespace, proxy, sandbox, command; then its logs and what to say about it. */
import { chmodSync, existsSync, renameSync, rmSync, statSync, writeFileSync } from "node:fs";
import { hostname, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { Attribution } from "../engine/attribution.js";
import { listeningHostSockets } from "../engine/host-sockets.js";
import { enterNamespace, type Namespace } from "../engine/namespace.js";
import { type Sandbox, startSandbox } from "../engine/sandbox.js";
import {
  defaultWorkDirectory,
  makeWorkDirectory,
  removeAbandoned,
} from "../engine/work-directory.js";
import { AccessLogWriter, accessLogName } from "../log/writer.js";
import type { ProxyContext } from "../proxy/context.js";
import { DirectDialler } from "../proxy/dial.js";
import { embeddedResolver } from "../proxy/dns.js";
import { NameResolver } from "../proxy/resolver.js";
import { serveProxy } from "../proxy/serve.js";
import { diagnose } from "./diagnosis.js";
import { hostAlias } from "./domains.js";
import { sandboxEnvironment } from "./environment.js";
import type { Messages } from "./messages.js";
import { hostsFile, resolverFile } from "./sandbox-files.js";
import type { Settings } from "./settings.js";
import { Stopping } from "./stopping.js";
import { Tally } from "./tally.js";
import { invoker } from "./user.js";

const proxyPort = 3128;
/** The host's alias leads here inside; taken from a range that no network routes. */
const hostAddress = "192.0.2.1";

/** Runs the command to its end. Resolves with the exit code for awf. */
export async function run(
  settings: Settings,
  command: readonly string[],
  messages: Messages,
): Promise<number> {
  const { options } = settings;
  removeAbandoned();
  const workDirectory = makeWorkDirectory(options.workDir ?? defaultWorkDirectory());
  const logDirectory = options.proxyLogsDir ?? join(workDirectory, "squid-logs");
  await using undo = new AsyncDisposableStack();
  undo.defer(() => {
    if (!options.keepContainers) rmSync(workDirectory, { recursive: true, force: true });
  });
  const log = new AccessLogWriter(logDirectory);
  const tally = new Tally();
  const stopping = undo.use(new Stopping(settings.timeoutMs));
  const namespace = undo.use(await enter(settings));
  const proxy = serveProxy(
    namespace.sockets,
    proxyContext(settings, namespace, (record) => {
      tally.add(record);
      log.write(record);
    }),
    { servers: settings.dns.servers, fallBack: [] },
  );

  messages.info("Executing agent command...");
  const sandbox = start(settings, command, namespace, workDirectory);
  const exitCode = await stopping.exitCode(sandbox);
  await proxy.close();
  log.close();
  if (exitCode === 0) messages.success("Command completed successfully");
  else messages.warn(`Command completed with exit code: ${exitCode}`);
  diagnose(messages, tally, settings.policy, exitCode);
  keepLogs(settings, workDirectory, logDirectory, messages);
  return exitCode;
}

function enter({ dns, hostPorts }: Settings): Promise<Namespace> {
  return enterNamespace(
    {
      proxyPort,
      dnsServers: [...new Set([...dns.servers, embeddedResolver])],
      hostPorts: hostPorts ?? [],
      hostAddress,
    },
    ["inherit", "inherit", "inherit"],
  );
}

function proxyContext(
  settings: Settings,
  namespace: Namespace,
  record: ProxyContext["record"],
): ProxyContext {
  const attribution = new Attribution(namespace.pid);
  const resolver = new NameResolver({
    servers: settings.dns.servers,
    fallBack: !settings.dns.chosen,
  });
  return {
    policy: () => settings.policy,
    dialler: new DirectDialler(resolver),
    record,
    requester: (port) => attribution.ownerOf(port),
    ...(settings.hostPorts
      ? {
          hostAccess: {
            names: new Set([hostAlias]),
            address: hostAddress,
            ports: new Set(settings.hostPorts),
          },
        }
      : {}),
  };
}

function start(
  settings: Settings,
  command: readonly string[],
  namespace: Namespace,
  workDirectory: string,
): Sandbox {
  const { options, policy, dns } = settings;
  const user = invoker();
  const own = (name: string, text: string): string => {
    const path = join(workDirectory, name);
    writeFileSync(path, text, { mode: 0o644 });
    return path;
  };
  const alias = settings.hostPorts ? { name: hostAlias, address: hostAddress } : undefined;
  const files = new Map([
    ["/etc/hosts", own("hosts", hostsFile(policy, hostname(), alias))],
    ["/etc/resolv.conf", own("resolv.conf", resolverFile(dns.servers))],
  ]);
  const workingDirectory = options.containerWorkdir ?? user.home;
  const [only] = command;
  return startSandbox(namespace, {
    command: command.length === 1 && only !== undefined ? ["bash", "-c", only] : command,
    workDirectory,
    terminal: options.tty === true,
    ...(user.becomes ? { user } : {}),
    view: {
      uid: user.uid,
      gid: user.gid,
      home: user.home,
      otherHomes: user.otherHomes,
      workspace: process.cwd(),
      volumes: settings.volumes,
      ...(settings.allowWrite ? { allowWrite: settings.allowWrite } : {}),
      files,
      emptyFile: own("empty", ""),
      hidden: [workDirectory],
      hostSockets: listeningHostSockets(),
      workingDirectory,
      hostname: hostname(),
      environment: sandboxEnvironment({
        options,
        host: process.env,
        home: user.home,
        proxy: `http://127.0.0.1:${proxyPort}`,
        hostAccess: settings.hostPorts !== undefined,
      }),
    },
  });
}

/** Logs with something in them outlive the run, in the place where `awf logs` looks. */
function keepLogs(
  { options }: Settings,
  workDirectory: string,
  logDirectory: string,
  messages: Messages,
): void {
  if (options.keepContainers) messages.info(`Configuration files preserved at: ${workDirectory}`);
  if (options.proxyLogsDir !== undefined || options.keepContainers) {
    messages.info(`Squid logs available at: ${logDirectory}`);
    return;
  }
  const log = join(logDirectory, accessLogName);
  if (!existsSync(log) || statSync(log).size === 0) return;
  const stamp = basename(workDirectory).replace(/^awf-/, "");
  const kept = join(tmpdir(), `squid-logs-${/^\d+$/.test(stamp) ? stamp : Date.now()}`);
  renameSync(logDirectory, kept);
  chmodSync(kept, 0o755);
  messages.info(`Squid logs preserved at: ${kept}`);
}
