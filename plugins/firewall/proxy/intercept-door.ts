/** Opens TLS in the middle: the client gets an identity of the run's own authority, what is inside goes to the HTTP door. */
import type { Socket } from "node:net";
import { TLSSocket } from "node:tls";
import type { Arrival } from "./context.js";
import type { HttpDoor } from "./http.js";
import type { Interception } from "./interception.js";

export class InterceptDoor {
  readonly #interception: Interception;
  readonly #http: HttpDoor;

  constructor(interception: Interception, http: HttpDoor) {
    this.#interception = interception;
    this.#http = http;
  }

  /** The name is the one that the client asked for and that the policy has allowed. */
  readonly open = (client: Socket, hello: Buffer, name: string, arrival: Arrival): void => {
    void this.#open(client, hello, name, arrival).catch(() => client.destroy());
  };

  async #open(client: Socket, hello: Buffer, name: string, arrival: Arrival): Promise<void> {
    const secureContext = await this.#interception.contextFor(name);
    client.unshift(hello);
    const opened = new TLSSocket(client, {
      isServer: true,
      secureContext,
      ALPNProtocols: ["http/1.1"],
    });
    opened.on("error", () => opened.destroy());
    this.#http.accept(opened, { kind: "intercepted", host: name }, arrival);
  }
}
