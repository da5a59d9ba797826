/** One run: namespace, proxy, sandbox, command; then its logs and what to say about it. */

import { getServers } from "node:dns";
import { rmSync } from "node:fs";
import { join } from "node:path";
import { setFlagsFromString } from "node:v8";
import {
  defaultWorkDirectory,
  makeWorkDirectory,
  removeAbandoned,
} from "../engine/work-directory.js";
import { AccessLogWriter } from "../log/writer.js";
import type { ProxySettings } from "../proxy/context.js";
import { serveProxy } from "../proxy/serve.js";
import type { SandboxEngine } from "./engine.js";
import type { enter } from "./enter.js";
import type { Messages } from "./messages.js";
import { nativeEngine } from "./native-engine.js";
import { preserveLogs } from "./preserve-logs.js";
import { report } from "./report.js";
import { RequestTally } from "./request-tally.js";
import { diallerFor, hostAccessOf } from "./resources.js";
import { RunTermination } from "./run-termination.js";
import type { Settings } from "./settings.js";
import { environmentFor, refuseBadDirectories, sandboxCommand, wordsOf } from "./start.js";
import type { Trust } from "./trust.js";
import { invoker } from "./user.js";

/**
 * Runs the command to its end. Resolves with the exit code for awf.
 * @throws {FirewallError} when it cannot be started.
 */
export async function run(
  settings: Settings,
  command: readonly string[],
  messages: Messages,
  entering: ReturnType<typeof enter> | undefined,
): Promise<number> {
  using stopping = new RunTermination(settings.timeoutMs);
  try {
    return await perform(settings, command, messages, entering, stopping);
  } catch (thrown) {
    // Whoever asks for the end does not ask for the reason why the start then failed.
    if (stopping.forced !== undefined) return stopping.forced;
    throw thrown;
  }
}

async function perform(
  settings: Settings,
  command: readonly string[],
  messages: Messages,
  entering: ReturnType<typeof enter> | undefined,
  stopping: RunTermination,
): Promise<number> {
  const { options } = settings;
  await using undo = new AsyncDisposableStack();
  const engine = undo.use(await engineFor(settings, entering, messages));
  const user = invoker();
  refuseBadDirectories(settings, user);
  const environment = environmentFor(settings, user);
  const dialler = diallerFor(settings);
  removeAbandoned();
  const workDirectory = makeWorkDirectory(
    options.workDir ?? defaultWorkDirectory(),
    options.proxyLogsDir,
  );
  undo.defer(() => {
    if (!options.keepContainers) rmSync(workDirectory, { recursive: true, force: true });
  });
  const logDirectory = options.proxyLogsDir ?? join(workDirectory, "squid-logs");
  const log = new AccessLogWriter(logDirectory);
  const tally = new RequestTally();
  const [prepared, trust] = await Promise.all([
    engine.enter(workDirectory, stopping.stopRequest),
    trustFor(settings, workDirectory),
  ]);
  const { attribution } = prepared;
  const context: ProxySettings = {
    policy: () => settings.policy,
    dialler,
    record: (record) => {
      tally.add(record);
      log.write(record);
    },
    requester: (port, transport) => attribution.ownerOf(port, transport),
    ...hostAccessOf(settings),
    ...(trust ? { interception: trust.interception } : {}),
  };
  const { servers, chosen } = settings.dns;
  const proxy = serveProxy(prepared.sockets, context, {
    servers,
    fallBack: chosen ? [] : getServers(),
  });

  messages.info("Executing agent command...");
  const sandbox = await prepared.start(
    sandboxCommand({
      settings,
      command: wordsOf(command),
      workDirectory,
      user,
      environment: { ...trust?.environment, ...environment },
      trust,
      workspace: process.cwd(),
    }),
  );
  // What is young now is as large as a proxy needs it; growing would cost more than each of a thousand tunnels.
  setFlagsFromString("--semi-space-growth-factor=1");
  // A run is over before the usual thresholds are reached: its proxy is compiled after some tens of connections, not hundreds.
  setFlagsFromString("--no-lazy-feedback-allocation");
  setFlagsFromString("--invocation-count-for-maglev=60");
  const exitCode = await stopping.exitCode(sandbox);
  await proxy.close();
  log.close();
  await engine[Symbol.asyncDispose]();
  const stays = options.proxyLogsDir !== undefined || options.keepContainers === true;
  const logs = preserveLogs(workDirectory, logDirectory, stays);
  report({ messages, settings, tally, exitCode, logs, workDirectory });
  return exitCode;
}

async function engineFor(
  settings: Settings,
  entering: ReturnType<typeof enter> | undefined,
  messages: Messages,
): Promise<SandboxEngine> {
  if (entering) return nativeEngine(settings, entering);
  const { DockerEngine } = await import("./docker-engine.js");
  return new DockerEngine(settings, messages);
}

async function trustFor({ options }: Settings, workDirectory: string): Promise<Trust | undefined> {
  if (!options.sslBump) return undefined;
  const { makeTrust } = await import("./trust.js");
  return makeTrust(workDirectory, process.env.JAVA_HOME);
}
