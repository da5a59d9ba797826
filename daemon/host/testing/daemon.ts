/** The host with everything real around it, for one test: services, listeners, files, and a configuration on the disk. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { PassThrough } from "node:stream";
import type { ExecutionContext } from "ava";
import type { Diagnostic } from "../../../grammar/diagnostic.js";
import { eventually } from "../../../tests/support/eventually.js";
import { type CatalogOptions, createCatalog } from "../../catalog/catalog.js";
import { writeTree } from "../../catalog/testing/tree.js";
import { load } from "../../config/load.js";
import { plan } from "../../config/plan.js";
import type { Program } from "../../config/program.js";
import type { RequestHandler } from "../../http/contract.js";
import { createListeners } from "../../http/listeners/listeners.js";
import type { Clock } from "../../plugin-api/context.js";
import type { DaemonServices } from "../../services/contract.js";
import { openServices } from "../../services/services.js";
import { createFileService } from "../../watch/files.js";
import type { PluginHost, PreparedGeneration } from "../contract.js";
import { createHost, type HostOptions } from "../host.js";

export interface TestDaemonOptions extends CatalogOptions {
  readonly files?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  readonly environment?: NodeJS.ProcessEnv;
  readonly healthInterval?: number;
  /** Of a daemon before this one: its configuration and state are there still. */
  readonly folder?: string;
}

export interface Applied {
  readonly committed: boolean;
  readonly reason: string | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** `code message` of each diagnostic, without positions in the code of plugins. */
  readonly complaints: readonly string[];
}

export class TestDaemon {
  readonly folder: string;
  readonly kit: DaemonServices;
  readonly host: PluginHost;
  readonly mounted: Map<string, RequestHandler>;
  readonly #log: () => string;
  readonly #close: () => Promise<void>;
  #program: Program | undefined;
  #generation = 0;

  constructor(parts: {
    readonly folder: string;
    readonly kit: DaemonServices;
    readonly host: PluginHost;
    readonly mounted: Map<string, RequestHandler>;
    readonly log: () => string;
    readonly close: () => Promise<void>;
  }) {
    this.folder = parts.folder;
    this.kit = parts.kit;
    this.host = parts.host;
    this.mounted = parts.mounted;
    this.#log = parts.log;
    this.#close = parts.close;
  }

  get log(): string {
    return this.#log();
  }

  /** Goes from what runs to `text`, released at once; or tells why not. */
  async apply(text: string): Promise<Applied> {
    const { outcome, prepared } = await this.prepare(text);
    if (prepared) {
      this.commit(prepared);
      await prepared.release();
    }
    return outcome;
  }

  #next: Program | undefined;

  /** Everything up to the commit. */
  async prepare(
    text: string,
    signal: AbortSignal = new AbortController().signal,
  ): Promise<{ readonly outcome: Applied; readonly prepared: PreparedGeneration | undefined }> {
    const root = join(this.folder, "main.reeve");
    writeFileSync(root, text);
    const { program, diagnostics } = await load(root, { catalog: this.host.catalog });
    if (!program) return { outcome: applied(false, "invalid", diagnostics), prepared: undefined };
    this.#generation += 1;
    const changes = plan(this.#program, program);
    const outcome = await this.host.prepare(program, changes, this.#generation, signal);
    this.#next = program;
    const reason = outcome.ok ? undefined : outcome.reason;
    return {
      outcome: applied(outcome.ok, reason, outcome.diagnostics),
      prepared: outcome.ok ? outcome.prepared : undefined,
    };
  }

  commit(prepared: PreparedGeneration): void {
    prepared.commit();
    this.#program = this.#next;
  }

  /** Its state, once it is what the test waits for. */
  async until(id: string, state: string): Promise<void> {
    await waitFor(() => this.status(id)?.state === state, `${id} to be ${state}`);
  }

  status(id: string) {
    return this.host.status().find((each) => each.id === id);
  }

  close(): Promise<void> {
    return this.#close();
  }
}

/** Two folders of tests never have the same name. */
const withoutPosition = (text: string): string => text.replace(/ \(at \/[^)]*\)/g, "");

function applied(
  committed: boolean,
  reason: string | undefined,
  diagnostics: readonly Diagnostic[],
): Applied {
  const complaints = diagnostics.map(({ code, message }) => `${code} ${withoutPosition(message)}`);
  return { committed, reason: reason && withoutPosition(reason), diagnostics, complaints };
}

export async function startDaemon(
  t: Pick<ExecutionContext, "teardown">,
  options: TestDaemonOptions,
): Promise<TestDaemon> {
  const folder = options.folder ?? writeTree(t, options.files ?? {});
  const lines: string[] = [];
  const logStream = new PassThrough();
  logStream.on("data", (chunk: Buffer) => lines.push(chunk.toString("utf8")));
  /** What is open, closed in the reverse order. */
  const ends: Array<() => Promise<unknown>> = [];
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => {
    closed ??= (async () => {
      for (const end of ends.reverse()) await end();
    })();
    return closed;
  };
  t.teardown(close);
  const kit = await openServices({
    directories: {
      state: join(folder, ".state"),
      cache: join(folder, ".cache"),
      temporary: join(folder, ".temporary"),
    },
    logLevel: "debug",
    logFormat: "json",
    logStream,
    ...(options.clock ? { clock: options.clock } : {}),
  });
  ends.push(() => kit.close());
  const listeners = await createListeners({ log: kit.log, environment: {} });
  const files = createFileService({ log: kit.log, clock: kit.clock });
  ends.push(() => files.close());
  ends.push(() => listeners.close(AbortSignal.timeout(1_000)));
  const mounted = new Map<string, RequestHandler>();
  const { healthInterval, environment, builtins = [], isolation = {}, deadlines = {} } = options;
  const hostOptions: HostOptions = {
    kit,
    listeners,
    files,
    mounts: {
      mount: (id, handler) => void mounted.set(id, handler),
      unmount: (id) => void mounted.delete(id),
    },
    catalog: createCatalog({ builtins, isolation, deadlines }),
    configuration: join(folder, "main.reeve"),
    ...(healthInterval === undefined ? {} : { healthInterval }),
    ...(environment === undefined ? {} : { environment }),
  };
  const host = createHost(hostOptions);
  ends.push(() => host.stop(AbortSignal.timeout(10_000)));
  return new TestDaemon({
    folder,
    kit,
    host,
    mounted,
    log: () => lines.join(""),
    close,
  });
}

export async function waitFor(holds: () => boolean, what: string): Promise<void> {
  await eventually(what, holds);
}
