/** The way to a database, which a test can cut: nothing comes through, and nobody is told. */

import type { AddressInfo } from "node:net";
import { connect, createServer, type Socket } from "node:net";

/** What a test has: told what to do when it is over. */
interface Ending {
  teardown(end: () => unknown): void;
}

export class CuttableLink {
  /** The address of the same database by this way. */
  readonly address: string;
  readonly #sockets = new Set<Socket>();
  #isCut = false;

  private constructor(address: string) {
    this.address = address;
  }

  /** `address` names a socket in the file system: `postgres://…?host=/tmp/…`. */
  static async to(t: Ending, address: string): Promise<CuttableLink> {
    const url = new URL(address.replace("@/", "@localhost/"));
    const target = `${url.searchParams.get("host")}/.s.PGSQL.5432`;
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    url.search = "";
    url.hostname = "127.0.0.1";
    url.port = String((server.address() as AddressInfo).port);
    const way = new CuttableLink(url.href);
    server.on("connection", (client) => way.#join(client, connect(target)));
    t.teardown(() => {
      way.#end();
      server.close();
    });
    return way;
  }

  /** As if a cable were pulled. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#sockets) socket.pause();
  }

  /** What was on its way is lost. */
  mend(): void {
    this.#isCut = false;
    this.#end();
  }

  #end(): void {
    for (const socket of this.#sockets) socket.destroy();
  }

  #join(client: Socket, server: Socket): void {
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.#sockets.add(from);
      if (this.#isCut) from.pause();
      from.on("data", (data) => to.write(data));
      from.on("error", () => undefined);
      from.on("close", () => {
        this.#sockets.delete(from);
        if (!this.#isCut) to.destroy();
      });
    }
  }
}
