/** What plugins offer each other by name. The newest instance of a plugin answers; its older one is not asked any more. */
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

  /** What can be asked for, with the names of the methods. */
  directory(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(
      [...this.#offers].map(([name, { facade }]) => [name, Object.keys(facade)]),
    );
  }

  /** Everything this instance provides is gone. */
  withdraw(instance: symbol): void {
    for (const [name, offer] of this.#offers) {
      if (offer.instance === instance) this.#offers.delete(name);
    }
    this.#notify();
  }

  /** Called whenever the directory differs. Returns the way out. */
  watch(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** The gift of one instance. */
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
