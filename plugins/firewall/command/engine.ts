/** What a run needs of an engine: a place whose only way out is the proxy, and one command in it. */
import type { Attribution } from "../engine/attribution.js";
import type { NamespaceSockets } from "../engine/namespace.js";
import type { Sandbox, SandboxCommand } from "../engine/sandbox.js";

/** Ready for one command; nothing of it runs yet. */
export interface PreparedSandbox {
  /** Where connections from inside arrive. */
  readonly sockets: NamespaceSockets;
  readonly attribution: Attribution;
  /** Once. @throws {FirewallError} when it cannot be started */
  start(command: SandboxCommand): Promise<Sandbox>;
}

/** Disposing of it ends whatever is there, at whatever point it is. */
export interface SandboxEngine extends AsyncDisposable {
  /**
   * Makes the place; `ending` aborts when the run is asked to end meanwhile.
   * @throws {FirewallError} when this system cannot
   */
  enter(workDirectory: string, ending: AbortSignal): Promise<PreparedSandbox>;
}
