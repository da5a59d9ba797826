/**
 * A plugin's holds on addresses, in step with its generations: what is claimed in an attempt waits for its commit or is
 * thrown away with it, and what was superseded is let go of when there is no way back. Knows nothing of how a request
 * is answered, so plugins on the far side of a border use it, too.
 */
import { ReeveError } from "../errors.js";
import type { ControlMounts, Listeners, RequestHandler, Route } from "../http/contract.js";
import { problem, sendProblem } from "../http/problem.js";
import type { HttpServer, TlsFiles } from "../plugin-api/http.js";

export interface DoorOptions {
  readonly listen: string;
  readonly prefix: string;
  readonly requestTimeout: number;
  readonly headerLimit?: number | undefined;
  readonly tls?: TlsFiles | undefined;
}

interface Door {
  readonly options: DoorOptions;
  readonly route: Route;
  closing: Promise<void> | undefined;
  /** Lets go of what answers, once nothing is in flight. */
  close(): Promise<void>;
}

interface Control {
  readonly handler: RequestHandler;
  mounted: boolean;
  close(): Promise<void>;
}

export class ListenerClaims {
  readonly #plugin: string;
  readonly #listeners: Listeners;
  readonly #mounts: ControlMounts;
  #attempt: Set<Door> | undefined;
  readonly #active = new Set<Door>();
  readonly #superseded = new Set<Door>();
  #control: Control | undefined;
  #away: string | undefined;
  /** @throws when the plugin may not have the address. */
  gate: (listen: string) => void = () => undefined;

  constructor(plugin: string, listeners: Listeners, mounts: ControlMounts) {
    this.#plugin = plugin;
    this.#listeners = listeners;
    this.#mounts = mounts;
  }

  /** @throws outside an attempt, and when the address cannot be had. */
  async claim(
    options: DoorOptions,
    handler: RequestHandler,
    close: () => Promise<void>,
  ): Promise<HttpServer> {
    const attempt = this.#attempt;
    if (!attempt) {
      throw new ReeveError("serve_outside_prepare", "`http.serve` is called within `prepare`.");
    }
    this.gate(options.listen);
    const route = await this.#listeners.claim(
      { ...options, owner: this.#plugin },
      this.#guarded(handler),
    );
    const door: Door = { options, route, closing: undefined, close };
    if (this.#attempt !== attempt) {
      await this.#close(door);
      throw new ReeveError("attempt_over", "The attempt that this server was for is over.");
    }
    attempt.add(door);
    return {
      address: route.address,
      url: urlOf(route.address, options),
      close: () => this.#close(door),
    };
  }

  /** The plugin's part of the control API; reachable from its first commit on. */
  mount(handler: RequestHandler, close: () => Promise<void>): void {
    if (this.#control) throw new ReeveError("mounted_twice", "`http.control` is called once.");
    this.#control = { handler: this.#guarded(handler), close, mounted: false };
  }

  begin(): void {
    this.#attempt = new Set();
  }

  /** Synchronous: traffic reaches what was claimed from now on. */
  commit(): void {
    for (const door of this.#attempt ?? []) {
      if (door.closing) continue;
      for (const older of this.#active) {
        if (!isSamePlace(older.options, door.options)) continue;
        this.#active.delete(older);
        this.#superseded.add(older);
      }
      door.route.activate();
      this.#active.add(door);
    }
    this.#attempt = undefined;
    if (!this.#control || this.#control.mounted) return;
    this.#control.mounted = true;
    this.#mounts.mount(this.#plugin, this.#control.handler);
  }

  async abort(): Promise<void> {
    const claimed = this.#attempt ?? [];
    this.#attempt = undefined;
    await Promise.all([...claimed].map((door) => this.#close(door)));
  }

  /** Resolves when requests in flight on what was superseded are answered. */
  async release(): Promise<void> {
    await Promise.all([...this.#superseded].map((door) => this.#close(door)));
  }

  /** Keeps the addresses while nobody is there to answer: requests are told so, in one sentence. */
  suspend(why: string): void {
    this.#away = why;
  }

  /** Lets go of everything. Somebody who has taken over in the meantime is not disturbed. */
  async close(options: { readonly keepControl?: boolean } = {}): Promise<void> {
    if (this.#control?.mounted && !options.keepControl) this.#mounts.unmount(this.#plugin);
    await Promise.all([
      this.#control?.close(),
      this.abort(),
      ...[...this.#active, ...this.#superseded].map((door) => this.#close(door)),
    ]);
  }

  #guarded(handler: RequestHandler): RequestHandler {
    return (request, response) =>
      this.#away === undefined
        ? handler(request, response)
        : sendProblem(response, problem("not_ready", this.#away));
  }

  #close(door: Door): Promise<void> {
    door.closing ??= (async () => {
      await door.route.release();
      await door.close();
      this.#active.delete(door);
      this.#superseded.delete(door);
    })();
    return door.closing;
  }
}

const isSamePlace = (a: DoorOptions, b: DoorOptions): boolean =>
  a.listen === b.listen && a.prefix === b.prefix;

function urlOf(address: string, { prefix, tls }: DoorOptions): string {
  const scheme = tls ? "https" : "http";
  const path = prefix === "/" ? "" : prefix;
  if (address.startsWith("unix:")) return `${scheme}+${address}${path === "" ? "" : `:${path}`}`;
  const host = address.startsWith(":") ? `127.0.0.1${address}` : address;
  return `${scheme}://${host.replace(/^(0\.0\.0\.0|\[::\]):/, "127.0.0.1:")}${path}`;
}
