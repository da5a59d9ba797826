/** Properties that decrypted HTTP/2 must have for any client, on real connections. */
import { once } from "node:events";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import { turns } from "../../../../tests/support/eventually.js";
import { type Http2Fixture, startHttp2Fixture } from "../http2-fixture.js";
import { cut } from "./damage.js";
import { http2Input } from "./http2-input.js";
import { Random } from "./random.js";

/** Turns of the event loop until the client leaves. */
const turnsToAnswer = 200;

export class Http2UnderFuzz {
  readonly #fixture: Http2Fixture;
  readonly #ends: Array<() => void | Promise<void>>;
  /** The statuses of all records, to check that inputs reach every part. */
  readonly statuses = new Map<number, number>();

  private constructor(fixture: Http2Fixture, ends: Array<() => void | Promise<void>>) {
    this.#fixture = fixture;
    this.#ends = ends;
  }

  static async start(): Promise<Http2UnderFuzz> {
    const ends: Array<() => void | Promise<void>> = [];
    const urls = ["https://allowed.test/open/*"];
    const fixture = await startHttp2Fixture({ teardown: (end) => ends.push(end) }, urls);
    return new Http2UnderFuzz(fixture, ends);
  }

  async close(): Promise<void> {
    for (const end of this.#ends.toReversed()) await end();
  }

  /** Sends one generated input. Returns the violated properties. */
  async attempt(seed: number, index: number): Promise<readonly string[]> {
    const random = new Random(seed, index);
    const { port, authority, requests, records } = this.#fixture;
    const client = connectTls({
      socket: connect(port, "127.0.0.1"),
      servername: "allowed.test",
      ca: authority,
      ALPNProtocols: ["h2"],
    });
    client.on("error", () => {});
    await once(client, "secureConnect");
    client.resume();
    for (const piece of cut(http2Input(random), random)) client.write(piece);
    await turns(turnsToAnswer);
    if (random.once(2)) client.end();
    await turns(5);
    client.destroy();
    for (const { statusCode } of records.splice(0)) {
      this.statuses.set(statusCode, (this.statuses.get(statusCode) ?? 0) + 1);
    }
    const wrong = requests.splice(0).filter((request) => !/^\S+ \/open\//.test(request));
    return wrong.map((request) => `the origin was asked for ${request}`);
  }
}
