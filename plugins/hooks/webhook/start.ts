/** Starts the server, reloads its hooks on edits and signals, and stops it. */
import type { Server } from "node:http";
import type { Flags } from "./flags.js";
import { StartupError } from "./host.js";
import { type Listening, listen } from "./listen.js";
import type { WebhookLog } from "./log.js";
import { PidFile } from "./pid-file.js";
import { CommandRunner } from "./runner.js";
import { createWebhookServer } from "./server.js";
import { HookTable } from "./table.js";
import { tlsOf } from "./tls.js";
import { watchHooks } from "./watch.js";

/** Milliseconds for requests and commands to finish when the server stops. */
const PATIENCE = 5000;

export async function start(flags: Flags, log: WebhookLog): Promise<void> {
  if ((flags.setuid === 0) !== (flags.setgid === 0)) {
    throw new StartupError("-setuid and -setgid belong together; give both or neither.");
  }
  if (flags.socket !== "" && flags.setuid !== 0) {
    throw new StartupError("-socket cannot be used with -setuid; start the server as that user.");
  }
  const pidFile = flags.pidfile === "" ? undefined : PidFile.write(flags.pidfile);
  try {
    await serve(flags, log, pidFile);
  } catch (thrown) {
    pidFile?.remove();
    throw thrown;
  }
}

async function serve(flags: Flags, log: WebhookLog, pidFile: PidFile | undefined): Promise<void> {
  log.say("setting up os signal watcher");
  const paths = flags.hooks.length > 0 ? flags.hooks : ["hooks.json"];
  const table = new HookTable(flags, log);
  loadAll(paths, table, flags, log);
  const watch = flags.hotreload ? await watchHooks(paths, table, log) : undefined;
  const prefix = flags.urlprefix.replace(/^\/+|\/+$/g, "");
  const tls = flags.secure ? tlsOf(flags) : undefined;
  const runner = new CommandRunner(log.host);
  const server = createWebhookServer(
    {
      ...{ table, log, prefix, runner, strict: flags.strict },
      methods: flags["http-methods"].split(",").map(asMethod).filter(Boolean),
      headers: flags.header.map(headerOf),
      requestIds: flags["x-request-id"] ? { limit: flags["x-request-id-limit"] } : undefined,
    },
    tls,
  );
  let listening: Listening;
  try {
    listening = await listen(server, flags);
  } catch (thrown) {
    await runner.stop(AbortSignal.abort());
    await watch?.close();
    throw thrown;
  }
  const scheme = tls ? "https" : "http";
  log.say(
    `serving hooks on ${scheme}://${listening.shown}${prefix === "" ? "" : `/${prefix}`}/{id}`,
  );
  const stop = async (): Promise<void> => {
    await watch?.close();
    await stopAll(server, runner);
    listening.cleanUp();
    pidFile?.remove();
    log.close();
  };
  watchSignals(() => loadAgain(paths, table), stop, log);
  log.say("os signal watcher ready");
}

const asMethod = (written: string): string => written.replaceAll(" ", "").toUpperCase();

function headerOf(written: string): readonly [string, string] {
  const equals = written.indexOf("=");
  return [written.slice(0, equals), written.slice(equals + 1)];
}

/** With `-strict` an invalid file keeps the server from starting. */
function loadAll(paths: readonly string[], table: HookTable, flags: Flags, log: WebhookLog): void {
  for (const path of paths) {
    const isLoaded = table.load(path);
    if (table.duplicate !== undefined) {
      throw new StartupError(
        `Two hooks files have a hook with the id ${table.duplicate}; rename one of them.`,
      );
    }
    if (isLoaded || !flags.strict) continue;
    throw new StartupError(
      `The hooks of ${path} cannot be served; correct the file and start again.`,
    );
  }
  if (table.size > 0 || log.verbose || flags.nopanic) return;
  process.stdout.write(
    "couldn't load any hooks from file!\nTo start without hooks all the same, use -verbose or -nopanic.\n",
  );
  throw new StartupError("There are no hooks to serve.");
}

function loadAgain(paths: readonly string[], table: HookTable): void {
  for (const path of paths) table.load(path);
}

function watchSignals(reload: () => void, stop: () => Promise<void>, log: WebhookLog): void {
  for (const signal of ["SIGHUP", "SIGUSR1"] as const) {
    process.on(signal, () => {
      log.say(`caught ${signal.slice(3)} signal`);
      reload();
    });
  }
  let stopping = false;
  const end = (name: string) => (): void => {
    if (stopping) process.exit(1);
    stopping = true;
    log.say(`caught ${name} signal; exiting`);
    void stop().then(() => process.exit(0));
  };
  process.on("SIGTERM", end("terminated"));
  process.on("SIGINT", end("interrupt"));
}

/** Waits for open requests and commands; kills commands that take longer, with their children. */
async function stopAll(server: Server, runner: CommandRunner): Promise<void> {
  const patience = AbortSignal.timeout(PATIENCE);
  const closed = new Promise<void>((done) => server.close(() => done()));
  server.closeIdleConnections();
  await runner.stop(patience);
  const rest = setTimeout(() => server.closeAllConnections(), 1000);
  await closed;
  clearTimeout(rest);
}
