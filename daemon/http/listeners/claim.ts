import type { IncomingMessage, ServerResponse } from "node:http";
import type { SourceLimits } from "../../plugin-api/http.js";
import type { RequestHandler } from "../contract.js";

/** One plugin's hold on a prefix of one address, and what it has yet to answer. */
export class Claim {
  inFlight = 0;
  state: "waiting" | "active" | "released" = "waiting";
  readonly #idle: Array<() => void> = [];

  constructor(
    readonly prefix: string,
    readonly owner: string,
    readonly requestTimeout: number,
    readonly handler: RequestHandler,
    readonly headerLimit: number,
    readonly perSource: SourceLimits | undefined,
  ) {}

  /** Hands a request over and counts it until its connection or its answer is done. */
  take(request: IncomingMessage, response: ServerResponse): void {
    this.inFlight += 1;
    response.once("close", this.#done);
    this.handler(request, response);
  }

  /** Resolves when nothing is left to answer. */
  idle(): Promise<void> {
    if (this.inFlight === 0) return Promise.resolve();
    return new Promise((resolve) => this.#idle.push(resolve));
  }

  readonly #done = (): void => {
    this.inFlight -= 1;
    if (this.inFlight > 0) return;
    for (const resolve of this.#idle.splice(0)) resolve();
  };
}
