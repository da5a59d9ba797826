/** The plugin's instance: prepares, commits and stops. */
import { join } from "node:path";
import type {
  Health,
  HttpServer,
  Panel,
  PluginContext,
  PluginInstance,
  PrepareAttempt,
  Prepared,
  Routes,
} from "reeve/plugin";
import { apiRoutes, bodyLimit } from "./api/app.js";
import type { blocks, UpdatesConfiguration } from "./blocks/blocks.js";
import { settingsOf, type UpdatesSettings } from "./blocks/settings.js";
import { controlRoutes } from "./control.js";
import type { CodeHost } from "./hosts/contract.js";
import { EmbeddedHost } from "./hosts/embedded/embedded.js";
import { isSameFolder } from "./hosts/embedded/same-folder.js";
import { RemoteHost } from "./hosts/remote/remote.js";
import { updatesPanels } from "./panel.js";
import { createRuntime, type UpdatesRuntime } from "./runtime.js";
import type { UpdatesStore } from "./store/store.js";

/** Milliseconds; a push may take long. */
const longestRequest = 600_000;

export class UpdatesInstance implements PluginInstance<typeof blocks> {
  readonly control: Routes;
  readonly #context: PluginContext;
  readonly #store: UpdatesStore;
  #runtime: UpdatesRuntime | undefined;
  #server: HttpServer | undefined;

  constructor(context: PluginContext, store: UpdatesStore) {
    this.#context = context;
    this.#store = store;
    this.control = controlRoutes(() => this.#runtime?.ports);
  }

  async prepare(
    { blocks: { updates } }: UpdatesConfiguration,
    _previous: UpdatesConfiguration | undefined,
    { report }: PrepareAttempt,
  ): Promise<Prepared> {
    const [block] = updates;
    if (!block) return { commit: () => undefined };
    const settings = settingsOf(block, this.#context.directories.state);
    if (this.#store.isShared && !settings.host) {
      const { root } = settings;
      if (!(await isSameFolder(root, (mark) => this.#store.repos.folder(mark)))) {
        report(block.range, `${root} is not the folder that the other daemons see.`, {
          code: "other_folder",
          help: "Share one folder by a network file system, or use a code host.",
        });
        return { commit: () => undefined };
      }
    }
    const before = this.#runtime?.ports.settings;
    const host = this.#hostFor(settings, before);
    const runtime =
      this.#runtime ??
      createRuntime(this.#context, this.#store, { settings, host }, () => this.#server?.url ?? "");
    const isSame =
      before?.listen === settings.listen && before.basePath === settings.basePath && this.#server;
    const server = isSame || (await this.#serve(settings, runtime));
    return {
      commit: () => {
        const old = this.#server;
        this.#server = server;
        this.#runtime = runtime;
        runtime.reconfigure(settings, host);
        if (old && old !== server) {
          runtime.endStreams();
          void old.close();
        }
      },
      abort: async () => {
        if (server !== this.#server) await server.close();
        if (host !== this.#runtime?.ports.host) host.close();
        if (runtime !== this.#runtime) await runtime.stop();
      },
    };
  }

  async stop(): Promise<void> {
    this.#runtime?.endStreams();
    await this.#server?.close();
    await this.#runtime?.stop();
  }

  health(): Health {
    const failure = this.#runtime?.failure;
    return failure === undefined ? { state: "healthy" } : { state: "degraded", reason: failure };
  }

  async panels(): Promise<readonly Panel[]> {
    return this.#runtime ? updatesPanels(this.#runtime.ports) : [];
  }

  #serve({ listen, basePath }: UpdatesSettings, { ports }: UpdatesRuntime): Promise<HttpServer> {
    return this.#context.http.serve(
      { listen, prefix: basePath, bodyLimit, requestTimeout: longestRequest },
      apiRoutes(ports),
    );
  }

  /** The current host, if its settings have not changed. */
  #hostFor(settings: UpdatesSettings, before: UpdatesSettings | undefined): CodeHost {
    const present = this.#runtime?.ports.host;
    if (present && before && sameHost(settings, before)) return present;
    const { host } = settings;
    if (host) {
      return new RemoteHost({
        kind: host.kind,
        url: host.url,
        token: () => host.token.reveal(),
        mirrors: join(this.#context.directories.cache, "mirrors"),
        clock: this.#context.clock,
      });
    }
    return new EmbeddedHost({
      root: settings.root,
      accounts: this.#store.accounts,
      url: () => `${this.#server?.url ?? ""}/git`,
    });
  }
}

const sameHost = (one: UpdatesSettings, other: UpdatesSettings): boolean =>
  one.root === other.root &&
  one.host?.kind === other.host?.kind &&
  one.host?.url === other.host?.url &&
  one.host?.token.reveal() === other.host?.token.reveal();
