/** Addresses that outlive generations: see `http/contract.ts`. */

import { type Address, addressText, overlap, parseAddress } from "../../config/address.js";
import { ReeveError } from "../../errors.js";
import type { Log } from "../../plugin-api/context.js";
import type { TlsFiles } from "../../plugin-api/http.js";
import type { Listeners, RequestHandler, Route, RouteOptions } from "../contract.js";
import { Claim } from "./claim.js";
import { type Inherited, inheritedSockets } from "./inherited.js";
import { LIMITS } from "./limits.js";
import { Listener } from "./listener.js";
import { tlsText } from "./tls.js";

export interface ListenersOptions {
  readonly log: Log;
  /** Where systemd says which sockets it hands over. @default the process's own */
  readonly environment?: NodeJS.ProcessEnv;
}

export async function createListeners(options: ListenersOptions): Promise<Listeners> {
  const inherited = await inheritedSockets(options.environment ?? process.env);
  return new OwnedListeners(options.log, inherited);
}

/** A listener that is open or being opened. */
interface Entry {
  /** As asked for: port 0 stays 0. */
  readonly wanted: string;
  readonly address: Address;
  /** Which files it has its certificate from; empty for none. */
  readonly tls: string;
  readonly listener: Listener;
  readonly opened: Promise<void>;
  /** systemd's: it holds the socket anyway, so it stays open without claims. */
  readonly inherited: boolean;
}

class OwnedListeners implements Listeners {
  readonly #log: Log;
  readonly #inherited: Inherited;
  readonly #entries = new Set<Entry>();
  #closing = false;

  constructor(log: Log, inherited: Inherited) {
    this.#log = log;
    this.#inherited = inherited;
  }

  async claim(options: RouteOptions, handler: RequestHandler): Promise<Route> {
    if (this.#closing) throw new ReeveError("shutting_down", "The daemon is stopping.");
    const {
      prefix,
      owner,
      requestTimeout,
      headerLimit = LIMITS.headerBytes,
      tls,
      perSource,
    } = options;
    const address = parseAddress(options.listen);
    const claim = new Claim(
      checkedPrefix(prefix),
      owner,
      requestTimeout,
      handler,
      headerLimit,
      perSource,
    );
    const entry = this.#find(address, claim, tlsText(tls)) ?? this.#open(address, tls);
    entry.listener.claims.add(claim);
    entry.listener.retime();
    try {
      await entry.opened;
    } catch (thrown) {
      await this.#release(entry, claim);
      throw thrown;
    }
    return this.#route(entry, claim);
  }

  list(): ReturnType<Listeners["list"]> {
    return [...this.#entries].flatMap(({ listener: { address, prefixes } }) =>
      address === undefined ? [] : [{ address: addressText(address), prefixes }],
    );
  }

  own(): readonly string[] {
    const open = Array.from(this.#entries, ({ listener, address }) =>
      addressText(listener.address ?? address),
    );
    return [...open, ...this.#inherited.keys()];
  }

  async close(signal: AbortSignal): Promise<void> {
    this.#closing = true;
    const listeners = [...this.#entries].map(({ listener }) => listener);
    this.#entries.clear();
    const cut = (): void => {
      for (const listener of listeners) listener.cut();
    };
    if (signal.aborted) cut();
    signal.addEventListener("abort", cut);
    await Promise.all(listeners.map((listener) => listener.close()));
    signal.removeEventListener("abort", cut);
  }

  /**
   * The listener of a claim. An attempt claims a prefix once; a second claim of it on port 0 comes from another plugin and
   * gets its own port, while a later attempt's claim finds the port of the claim that it replaces.
   */
  #find(address: Address, claim: Claim, tls: string): Entry | undefined {
    const text = addressText(address);
    const isFree = address.kind === "tcp" && address.port === 0;
    for (const entry of this.#entries) {
      if (entry.tls !== tls) continue;
      const bound = entry.listener.address;
      if (entry.wanted !== text && (bound === undefined || addressText(bound) !== text)) continue;
      const rival = entry.listener.holds(claim.prefix, "waiting");
      if (isFree) {
        const before = entry.listener.holds(claim.prefix, "active");
        if (rival === undefined && before?.owner === claim.owner) return entry;
      } else if (rival === undefined) {
        return entry;
      } else {
        throw contested(text, claim, rival);
      }
    }
    return undefined;
  }

  #open(address: Address, tls: TlsFiles | undefined): Entry {
    const listener = new Listener(this.#log, tls);
    const wanted = addressText(address);
    const descriptor = this.#inherited.get(wanted);
    const besideOwn = [...this.#entries].some((other) =>
      overlap(other.listener.address ?? other.address, address),
    );
    const opened = listener.open(address, { besideOwn, descriptor });
    const inherited = descriptor !== undefined;
    const entry = { wanted, address, listener, opened, inherited, tls: tlsText(tls) };
    this.#entries.add(entry);
    // Its callers get the error; here the entry only disappears.
    opened.catch(() => this.#entries.delete(entry));
    return entry;
  }

  #route(entry: Entry, claim: Claim): Route {
    const { listener } = entry;
    return {
      address: addressText(listener.address ?? entry.address),
      get inFlight() {
        return claim.inFlight;
      },
      activate: () => listener.activate(claim),
      release: () => this.#release(entry, claim),
    };
  }

  async #release(entry: Entry, claim: Claim): Promise<void> {
    const { listener } = entry;
    listener.withdraw(claim);
    const isLast = [...listener.claims].every(({ state }) => state === "released");
    if (isLast && !entry.inherited && this.#entries.delete(entry)) {
      await listener.close();
    }
    await claim.idle();
    listener.claims.delete(claim);
    listener.retime();
  }
}

function checkedPrefix(prefix: string): string {
  if (prefix === "/" || /^(?:\/[^/?#\s]+)+$/.test(prefix)) return prefix;
  throw new ReeveError(
    "bad_prefix",
    `\`${prefix}\` is not a prefix: it starts with \`/\` and does not end with one.`,
    { help: "Write `/hooks`, or `/` for everything." },
  );
}

function contested(address: string, claim: Claim, rival: Claim): ReeveError {
  const who =
    claim.owner === rival.owner
      ? `\`${claim.owner}\` asks for it twice`
      : `\`${rival.owner}\` and \`${claim.owner}\` both ask for it`;
  return new ReeveError(
    "prefix_taken",
    `\`${claim.prefix}\` on \`${address}\` can have one answer only: ${who}.`,
    { help: "Give one of them another prefix or another address." },
  );
}
