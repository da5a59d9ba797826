/** The parts of the control API that plugins bring themselves. */
import { ReeveError } from "../../errors.js";
import type { ControlMounts, RequestHandler } from "../contract.js";
import { PrefixRouter } from "../listeners/prefix-router.js";

/** Names below `/v1/` that are the daemon's own. */
const RESERVED: ReadonlySet<string> = new Set([
  "status",
  "plugins",
  "generations",
  "runs",
  "panels",
  "plan",
  "reload",
  "rollback",
  "events",
  "openapi.json",
]);

export class RouteMounts implements ControlMounts {
  readonly #router = new PrefixRouter<RequestHandler>();

  /** Takes over from what the plugin mounted before. */
  mount(pluginId: string, handler: RequestHandler): void {
    if (RESERVED.has(pluginId)) {
      throw new ReeveError(
        "reserved_name",
        `A plugin called \`${pluginId}\` cannot have routes in the control API: the name is the daemon's own.`,
        { help: "Choose another id for the plugin." },
      );
    }
    this.#router.set(`/v1/${pluginId}`, handler);
  }

  unmount(pluginId: string): void {
    const prefix = `/v1/${pluginId}`;
    const handler = this.#router.get(prefix);
    if (handler !== undefined) this.#router.delete(prefix, handler);
  }

  /** Whether it is a plugin's to answer, where there is such a plugin. */
  concerns(url: string): boolean {
    const [, name] = /^\/v1\/([^/?]+)/.exec(url) ?? [];
    return name !== undefined && !RESERVED.has(name);
  }

  match(url: string): RequestHandler | undefined {
    return this.#router.match(url);
  }
}
