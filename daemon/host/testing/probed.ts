/** The probe, running somewhere, and a client that asks it. */

import { createServer } from "node:http";
import type { ExecutionContext } from "ava";
import { within } from "../../../tests/support/eventually.js";
import { type Answer, ask } from "../../http/testing/client.js";
import type { Isolation } from "../../plugin-api/descriptor.js";
import { type Applied, startDaemon, type TestDaemon, type TestDaemonOptions } from "./daemon.js";
import { PROBE } from "./probe.js";

export class Probed {
  readonly daemon: TestDaemon;
  readonly #declaration: string;

  constructor(daemon: TestDaemon, isolation: Isolation) {
    this.daemon = daemon;
    this.#declaration = `plugin "p" { source = "./probe.js"; isolation = "${isolation}" }\n`;
  }

  text(body: string, more = ""): string {
    return `${this.#declaration}p.probe "x" { ${body} }\n${more}`;
  }

  apply(body: string, more = ""): Promise<Applied> {
    return this.daemon.apply(this.text(body, more));
  }

  /** Nothing of the probe is left. */
  remove(): Promise<Applied> {
    return this.daemon.apply(this.#declaration);
  }

  /** Where it listens, as its part of the control API says. */
  async address(): Promise<string> {
    const handler = this.daemon.mounted.get("probe");
    const server = createServer(handler);
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const { port } = server.address() as { readonly port: number };
    try {
      const { body } = await ask(`127.0.0.1:${port}`, "/v1/probe/address");
      return (JSON.parse(body) as { readonly address: string }).address;
    } finally {
      await new Promise((resolve) => server.close(resolve));
    }
  }

  /** Has it use something, and gives what that came to. */
  async use(what: string, argument: unknown = {}): Promise<unknown> {
    const { status, body } = await within(
      `an answer to "${what}"`,
      this.post(`/probe/use/${what}`, JSON.stringify(argument)),
    );
    if (status !== 200) throw new Error(`${status} ${body}`);
    return (JSON.parse(body) as { readonly answer: unknown }).answer;
  }

  async get(path: string): Promise<Answer> {
    return ask(await this.address(), path);
  }

  async post(path: string, body: string, type = "application/json"): Promise<Answer> {
    return ask(await this.address(), path, {
      method: "POST",
      body,
      headers: { "content-type": type },
    });
  }
}

export async function probe(
  t: Pick<ExecutionContext, "teardown">,
  isolation: Isolation,
  body = "",
  options: TestDaemonOptions = {},
): Promise<Probed> {
  const files = { "probe.js": PROBE, ...options.files };
  const daemon = await startDaemon(t, { ...options, files });
  const probed = new Probed(daemon, isolation);
  const { complaints, reason } = await probed.apply(body);
  if (reason !== undefined) throw new Error(`${reason}\n${complaints.join("\n")}`);
  return probed;
}

export const ISOLATIONS: readonly Isolation[] = ["inline", "worker", "process"];
