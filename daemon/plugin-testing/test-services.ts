/** What the plugin under test runs in: every part of a daemon that it meets, real, in a folder of its own. */
import { mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { Writable } from "node:stream";
import type { Catalog } from "../catalog/catalog.js";
import { createHost, type FailableHost } from "../host/host.js";
import type { Listeners } from "../http/contract.js";
import { RouteMounts } from "../http/control/mounts.js";
import { createListeners } from "../http/listeners/listeners.js";
import type { Clock } from "../plugin-api/context.js";
import { realClock } from "../services/clock.js";
import type { DaemonServices } from "../services/contract.js";
import { openServices } from "../services/services.js";
import { createFileService } from "../watch/files.js";

/** Milliseconds: a busy machine needs longer than the second that a daemon gives. */
const LAST_RITES = 10_000;

export interface TestServices {
  /** Absolute path of the configuration's folder. */
  readonly folder: string;
  /** Absolute path of the configuration's root file. */
  readonly root: string;
  readonly kit: DaemonServices;
  readonly listeners: Listeners;
  readonly host: FailableHost;
  /** Where plugins' parts of the control API answer. */
  readonly control: string;
  /** The log so far, a JSON object a line. */
  log(): string;
  /** Ends and removes everything; what still runs when `signal` fires is cut off. */
  close(signal: AbortSignal): Promise<void>;
}

export interface TestServicesOptions {
  readonly catalog: Catalog;
  readonly files: Readonly<Record<string, string>>;
  readonly environment: NodeJS.ProcessEnv;
  readonly clock: Clock | undefined;
}

export async function startTestServices(options: TestServicesOptions): Promise<TestServices> {
  const { catalog, environment, clock } = options;
  const base = await realpath(await mkdtemp(join(tmpdir(), "reeve-test-")));
  const ends: Array<(signal: AbortSignal) => unknown> = [
    () => rm(base, { recursive: true, force: true }),
  ];
  const close = async (signal: AbortSignal): Promise<void> => {
    for (let end = ends.pop(); end; end = ends.pop()) await end(signal);
  };
  try {
    const folder = join(base, "configuration");
    await writeFiles(folder, options.files);
    const lines: string[] = [];
    const logStream = new Writable({
      write(chunk: Buffer, _encoding, done) {
        lines.push(chunk.toString("utf8"));
        done();
      },
    });
    const kit = await openServices({
      directories: {
        state: join(base, "state"),
        cache: join(base, "cache"),
        temporary: join(base, "temporary"),
      },
      logLevel: "debug",
      logFormat: "json",
      logStream,
      ...(clock && { clock }),
    });
    ends.push(() => kit.close());
    // Files change in real time, whatever the clock says.
    const files = createFileService({ log: kit.log, clock: realClock });
    ends.push(() => files.close());
    const listeners = await createListeners({ log: kit.log, environment: {} });
    ends.push((signal) => listeners.close(signal));
    const mounts = new RouteMounts();
    const control = await openControl(mounts, ends);
    const root = join(folder, "main.reeve");
    const host = createHost({
      lastRites: LAST_RITES,
      ...{ kit, listeners, mounts, files, catalog, environment, configuration: root },
    });
    ends.push((signal) => host.stop(signal));
    return { folder, root, kit, listeners, host, control, log: () => lines.join(""), close };
  } catch (thrown) {
    await close(AbortSignal.abort());
    throw thrown;
  }
}

async function writeFiles(folder: string, files: TestServicesOptions["files"]): Promise<void> {
  await mkdir(folder);
  for (const [name, content] of Object.entries(files)) {
    const path = join(folder, name);
    await mkdir(dirname(path), { recursive: true });
    await writeFile(path, content);
  }
}

/** The address of a server that knows nothing but what plugins mount. */
async function openControl(
  mounts: RouteMounts,
  ends: Array<(signal: AbortSignal) => unknown>,
): Promise<string> {
  const server = createServer((request, response) => {
    const handler = mounts.match(request.url ?? "/");
    if (handler) return handler(request, response);
    response.writeHead(404).end();
  });
  await new Promise<void>((resolve, reject) => {
    server.once("error", reject).listen(0, "127.0.0.1", resolve);
  });
  ends.push(() => {
    server.closeAllConnections();
    return new Promise((resolve) => server.close(resolve));
  });
  const { port } = server.address() as { readonly port: number };
  return `127.0.0.1:${port}`;
}
