/** The server of the page before a daemon that only talks, and requests as any program could send them. */
import { type IncomingMessage, request } from "node:http";
import { text } from "node:stream/consumers";
import type { ExecutionContext } from "ava";
import { connect } from "../../control/client.js";
import type { Screens } from "../../plugin-api/screen.js";
import { type Answers, daemonDouble } from "../../testing/daemon-double.js";
import { dashboardAnswers } from "../../tui/testing/answers.js";
import { screens as ownScreens } from "../../tui/testing/screens.js";
import { serveWeb } from "../server.js";

export interface Sent {
  readonly method?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Received {
  readonly status: number;
  readonly headers: IncomingMessage["headers"];
  readonly body: string;
}

interface ServedOptions {
  readonly readOnly?: boolean;
  readonly screens?: Screens;
}

export async function served(
  t: ExecutionContext,
  answers: Answers = {},
  { readOnly = false, screens = ownScreens }: ServedOptions = {},
) {
  t.timeout(90_000);
  const daemon = await daemonDouble({
    ...dashboardAnswers,
    ...answers,
  });
  const clock = { now: 0 };
  const server = await serveWeb({
    ...{ control: connect({ control: daemon.socket }), screens, port: 0, interval: 50 },
    ...{ usesAddress: false, now: () => clock.now, readOnly },
  });
  t.teardown(async () => {
    await server.close();
    await daemon.close();
  });
  const { host, port } = new URL(server.origin);

  function open(path: string, { method = "GET", headers = {}, body }: Sent = {}) {
    const { promise, resolve, reject } = Promise.withResolvers<IncomingMessage>();
    // A kept connection may be closed at its end of life while a request is on its way.
    const own = {
      ...{ host: "127.0.0.1", port, method, path, agent: false },
      headers: { host, ...headers },
    };
    request(own, resolve).once("error", reject).end(body);
    return promise;
  }
  async function send(path: string, sent?: Sent): Promise<Received> {
    const response = await open(path, sent);
    const { statusCode = 0, headers } = response;
    return { status: statusCode, headers, body: await text(response) };
  }
  const ours = { origin: server.origin, "sec-fetch-site": "same-origin" };
  const token = (): string => new URL(server.address()).hash.slice("#t=".length);
  const redeem = (own: string, headers: Readonly<Record<string, string>> = {}) =>
    send("/-/session", {
      method: "POST",
      headers: { ...ours, "content-type": "application/json", ...headers },
      body: JSON.stringify({ token: own }),
    });
  /** What a browser sends with every request for data. */
  async function enter(own = token()): Promise<Record<string, string>> {
    const { headers, body } = await redeem(own);
    const [cookie = ""] = headers["set-cookie"]?.[0]?.split(";") ?? [];
    return { ...ours, cookie, "x-reeve-session": JSON.parse(body).key };
  }
  return { server, daemon, clock, open, send, ours, token, redeem, enter };
}

/** The next view that a stream sends and that fits. */
export async function viewOf<Data>(
  stream: AsyncIterable<Buffer>,
  fits: (data: Data) => boolean = () => true,
): Promise<Data> {
  let rest = "";
  for await (const chunk of stream) {
    const messages = (rest + chunk.toString()).split("\n\n");
    rest = messages.pop() ?? "";
    for (const message of messages) {
      const [, data] = /^data: (.*)$/m.exec(message) ?? [];
      if (data !== undefined && fits(JSON.parse(data))) return JSON.parse(data);
    }
  }
  throw new Error("the stream has ended");
}
