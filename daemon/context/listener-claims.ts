/**
 * A plugin's claims on addresses, in step with its generations: a claim made in an attempt waits for its commit or is
 * discarded with it, and superseded claims are released after probation. Knows nothing of how a request
 * is answered, so isolated plugins use it, too.
 */
import { ReeveError } from "../errors.js";
import type { ControlMounts, Listeners, RequestHandler, Route } from "../http/contract.js";
import { problem, sendProblem } from "../http/problem.js";
import type { HttpServer, SourceLimits, TlsFiles } from "../plugin-api/http.js";

export interface ClaimOptions {
  readonly listen: string;
  readonly prefix: string;
  readonly requestTimeout: number;
  readonly headerLimit?: number | undefined;
  readonly perSource?: SourceLimits | undefined;
  readonly tls?: TlsFiles | undefined;
}

interface ListenerClaim {
  readonly options: ClaimOptions;
  readonly route: Route;
  closing: Promise<void> | undefined;
  /** Closes the handler once no request is in flight. */
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
  #attempt: Set<ListenerClaim> | undefined;
  readonly #active = new Set<ListenerClaim>();
  readonly #superseded = new Set<ListenerClaim>();
  #control: Control | undefined;
  #away: string | undefined;
  readonly #checkListen: (listen: string) => void;

  /** `checkListen` throws where the plugin may not have the address. */
  constructor(
    plugin: string,
    listeners: Listeners,
    mounts: ControlMounts,
    checkListen: (listen: string) => void,
  ) {
    this.#plugin = plugin;
    this.#listeners = listeners;
    this.#mounts = mounts;
    this.#checkListen = checkListen;
  }

  /** @throws outside an attempt, and when the address cannot be had. */
  async claim(
    options: ClaimOptions,
    handler: RequestHandler,
    close: () => Promise<void>,
  ): Promise<HttpServer> {
    const attempt = this.#attempt;
    if (!attempt) {
      throw new ReeveError("serve_outside_prepare", "`http.serve` is called within `prepare`.");
    }
    this.#checkListen(options.listen);
    const route = await this.#listeners.claim(
      { ...options, owner: this.#plugin },
      this.#guarded(handler),
    );
    const claim: ListenerClaim = { options, route, closing: undefined, close };
    if (this.#attempt !== attempt) {
      await this.#close(claim);
      throw new ReeveError("attempt_over", "The attempt that this server was for is over.");
    }
    attempt.add(claim);
    return {
      address: route.address,
      url: urlOf(route.address, options),
      close: () => this.#close(claim),
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
    for (const claim of this.#attempt ?? []) {
      if (claim.closing) continue;
      for (const older of this.#active) {
        if (!hasSameAddress(older.options, claim.options)) continue;
        this.#active.delete(older);
        this.#superseded.add(older);
      }
      claim.route.activate();
      this.#active.add(claim);
    }
    this.#attempt = undefined;
    if (!this.#control || this.#control.mounted) return;
    this.#control.mounted = true;
    this.#mounts.mount(this.#plugin, this.#control.handler);
  }

  async abort(): Promise<void> {
    const claimed = this.#attempt ?? [];
    this.#attempt = undefined;
    await Promise.all([...claimed].map((claim) => this.#close(claim)));
  }

  /** Resolves when requests in flight on what was superseded are answered. */
  async release(): Promise<void> {
    await Promise.all([...this.#superseded].map((claim) => this.#close(claim)));
  }

  /** Keeps the addresses while no instance runs: requests get 503 with `why`. */
  suspend(why: string): void {
    this.#away = why;
  }

  /** Releases everything, except what another instance took over. */
  async close(options: { readonly keepControl?: boolean } = {}): Promise<void> {
    if (this.#control?.mounted && !options.keepControl) this.#mounts.unmount(this.#plugin);
    await Promise.all([
      this.#control?.close(),
      this.abort(),
      ...[...this.#active, ...this.#superseded].map((claim) => this.#close(claim)),
    ]);
  }

  #guarded(handler: RequestHandler): RequestHandler {
    return (request, response) =>
      this.#away === undefined
        ? handler(request, response)
        : sendProblem(response, problem("not_ready", this.#away));
  }

  #close(claim: ListenerClaim): Promise<void> {
    claim.closing ??= (async () => {
      await claim.route.release();
      await claim.close();
      this.#active.delete(claim);
      this.#superseded.delete(claim);
    })();
    return claim.closing;
  }
}

const hasSameAddress = (a: ClaimOptions, b: ClaimOptions): boolean =>
  a.listen === b.listen && a.prefix === b.prefix;

function urlOf(address: string, { prefix, tls }: ClaimOptions): string {
  const scheme = tls ? "https" : "http";
  const path = prefix === "/" ? "" : prefix;
  if (address.startsWith("unix:")) return `${scheme}+${address}${path === "" ? "" : `:${path}`}`;
  const host = address.startsWith(":") ? `127.0.0.1${address}` : address;
  return `${scheme}://${host.replace(/^(0\.0\.0\.0|\[::\]):/, "127.0.0.1:")}${path}`;
}
