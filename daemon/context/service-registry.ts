/** Services that plugins offer each other by name. Calls go to the newest instance of a plugin. */
import { ReeveError } from "../errors.js";
import type { Services } from "../plugin-api/context.js";

type ServiceMethod = (...args: unknown[]) => Promise<unknown>;
export type ServiceMethods = Readonly<Record<string, ServiceMethod>>;

interface Offer {
  readonly plugin: string;
  readonly instance: symbol;
  readonly facade: ServiceMethods;
}

export class ServiceRegistry {
  readonly #offers = new Map<string, Offer>();
  readonly #listeners = new Set<() => void>();

  /** @throws ReeveError when another plugin provides that name. */
  provide(plugin: string, instance: symbol, name: string, methods: ServiceMethods): void {
    const current = this.#offers.get(name);
    if (current && current.plugin !== plugin) {
      throw new ReeveError(
        "service_taken",
        `The service "${name}" is provided by the plugin "${current.plugin}" already.`,
      );
    }
    this.#offers.set(name, { plugin, instance, facade: facadeOf(methods) });
    this.#notify();
  }

  find(name: string): ServiceMethods | undefined {
    return this.#offers.get(name)?.facade;
  }

  /** The services and the names of their methods. */
  directory(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(
      [...this.#offers].map(([name, { facade }]) => [name, Object.keys(facade)]),
    );
  }

  /** Removes every service of the instance. */
  withdraw(instance: symbol): void {
    for (const [name, offer] of this.#offers) {
      if (offer.instance === instance) this.#offers.delete(name);
    }
    this.#notify();
  }

  /** Called when the directory changes. Returns a function that unsubscribes. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** `ctx.services` of one instance. */
  servicesFor(plugin: string, instance: symbol): Services {
    return {
      provide: (name, implementation) =>
        this.provide(plugin, instance, name, implementation as ServiceMethods),
      use: <Service>(name: string) => this.find(name) as Service | undefined,
    };
  }

  #notify(): void {
    for (const listener of this.#listeners) listener();
  }
}

/** Whatever a method does, its caller gets a promise. */
function facadeOf(methods: ServiceMethods): ServiceMethods {
  return Object.freeze(
    Object.fromEntries(
      Object.entries(methods).map(([name, method]) => [
        name,
        async (...args: unknown[]) => method.apply(methods, args),
      ]),
    ),
  );
}
