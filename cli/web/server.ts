/** The page and its data on loopback. Everything but the page's own files needs a session. */
import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { errorMessage } from "../../daemon/errors.js";
import type { Control } from "../control/client.js";
import type { Screens } from "../plugin-api/screen.js";
import { foreign, PageAccess, setCookie } from "./access.js";
import { queryOf } from "./page-data.js";
import { document, styles } from "./page-files.js";
import { pageScript } from "./script.js";
import { type OpenView, type OpenViews, streamPage } from "./stream.js";

export interface WebOptions {
  readonly control: Control;
  readonly screens: Screens;
  /** Without actions that change something. */
  readonly readOnly: boolean;
  /** 0: any free one. */
  readonly port: number;
  /** Milliseconds between two looks at the daemon. */
  readonly interval: number;
  /** `127.0.0.1` as the host, for browsers that do not resolve names below `localhost`. */
  readonly usesAddress: boolean;
  readonly now?: () => number;
}

export interface WebServer {
  readonly origin: string;
  /** With a new token, which is good for one use within a minute. */
  address(): string;
  close(): Promise<void>;
}

const HEADERS = {
  "content-security-policy":
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'",
  "x-content-type-options": "nosniff",
  "referrer-policy": "no-referrer",
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "cache-control": "no-store",
} as const;
/** Bytes. */
const MOST_BODY = 4096;

/** Listens when it resolves. */
export async function serveWeb(options: WebOptions): Promise<WebServer> {
  const access = new PageAccess(options.now);
  const name = options.usesAddress ? "127.0.0.1" : `${randomBytes(8).toString("hex")}.localhost`;
  const handler = { origin: "" };
  const server = createServer((request, response) => {
    answer({ ...options, access, origin: handler.origin }, request, response).catch(() =>
      response.destroy(),
    );
  });
  await listening(server, options.port);
  handler.origin = `http://${name}:${(server.address() as AddressInfo).port}`;
  return {
    origin: handler.origin,
    address: () => `${handler.origin}/#t=${access.issue()}`,
    async close() {
      const closed = Promise.withResolvers<void>();
      server.close(() => closed.resolve());
      server.closeAllConnections();
      await closed.promise;
    },
  };
}

function listening(server: Server, port: number): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  server.once("error", reject);
  server.listen(port, "127.0.0.1", () => {
    server.off("error", reject);
    resolve();
  });
  return promise;
}

interface Served extends WebOptions {
  readonly access: PageAccess;
  readonly origin: string;
}

async function answer(
  served: Served,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { origin } = served;
  const { method = "", headers } = request;
  // A name that an attacker controls may resolve to this host.
  if (`http://${headers.host}` !== origin) {
    response.writeHead(421, { connection: "close" }).end();
    return;
  }
  for (const [header, value] of Object.entries(HEADERS)) response.setHeader(header, value);
  const url = URL.parse(request.url ?? "/", origin);
  if (url === null || url.origin !== origin) return refuse(response, 400, "The path is invalid.");
  const { pathname } = url;
  if (!pathname.startsWith("/-/")) {
    if (method !== "GET") return refuse(response, 405, "The page itself can only be read.");
    if (pathname === "/page.js") return send(response, "text/javascript", pageScript);
    if (pathname === "/page.css") return send(response, "text/css", styles);
    return send(response, "text/html", document);
  }
  const why = foreign(method, headers, origin);
  if (why !== undefined) return refuse(response, 403, why);
  if (pathname === "/-/session" && method === "POST") return begin(served, request, response);
  const session = served.access.sessionOf(headers);
  if (session === undefined) {
    return refuse(response, 401, "The session has ended. Open a new address of `reeve web`.");
  }
  if (pathname === "/-/stream" && method === "GET") {
    const { control, screens, interval, readOnly } = served;
    const gone = new AbortController();
    response.once("close", () => gone.abort());
    const until = AbortSignal.any([gone.signal, session.over.signal]);
    const query = queryOf(url);
    const options = { control, screens, readOnly, interval, query, until };
    await streamPage(response, session.views, options);
    response.end();
    return;
  }
  const act = method === "POST" ? ACTS[pathname] : undefined;
  if (act) return perform(session.views, act, request, response);
  return refuse(response, 404, `There is no ${method} ${pathname}.`);
}

/** What is sent to do something in an open view. */
interface ActionRequest {
  readonly view: string;
  readonly id?: string;
  readonly action?: string;
  readonly confirmation?: string;
}

type Act = (view: OpenView, sent: ActionRequest) => unknown;

const ACTS: Readonly<Record<string, Act>> = {
  "/-/menu": ({ actions, lookedAt }, { id = "" }) => actions.menu(lookedAt(), id),
  "/-/action": ({ actions, lookedAt }, { action = "", id }) =>
    actions.choose(lookedAt(), action, id),
  "/-/confirm": ({ actions }, { confirmation = "" }) => actions.confirm(confirmation),
};

async function perform(
  views: OpenViews,
  act: Act,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const sent = await bodyOf(request);
  if (sent === undefined) {
    return refuse(response, 400, "The body must be an object of texts, with a `view`.");
  }
  const view = views.get(sent.view);
  if (view === undefined) {
    return refuse(response, 409, "The page has lost its connection. Try again.");
  }
  // A screen of a plugin may fail.
  const answer = await Promise.try(act, view, sent).catch((thrown: unknown) => ({
    ...{ kind: "notice", text: errorMessage(thrown), bad: true },
  }));
  // What has changed is shown at once. Where the daemon does not answer, the stream says so.
  await view.look().catch(() => undefined);
  return send(response, "application/json", JSON.stringify(answer));
}

async function bodyOf(request: IncomingMessage): Promise<ActionRequest | undefined> {
  const body = await jsonOf(request);
  const isRequest =
    typeof body === "object" &&
    body !== null &&
    "view" in body &&
    Object.values(body).every((value) => typeof value === "string");
  return isRequest ? (body as ActionRequest) : undefined;
}

/** A token for a session. */
async function begin(
  { access }: Served,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const token = await tokenIn(request);
  if (token === undefined) return refuse(response, 400, "The body has no token.");
  const redeemed = access.redeem(token);
  if (redeemed.result === "session") {
    response.setHeader("set-cookie", setCookie(redeemed.session));
    return send(response, "application/json", JSON.stringify({ key: redeemed.session.key }));
  }
  const again = "Open a new address of `reeve web`.";
  if (redeemed.result === "used") {
    return refuse(
      response,
      403,
      `This address was used before. Its session has ended, because two may know it. ${again}`,
    );
  }
  return refuse(response, 403, `This address is ${redeemed.result}. ${again}`);
}

async function tokenIn(request: IncomingMessage): Promise<string | undefined> {
  const { token } = ((await jsonOf(request)) ?? {}) as { readonly token?: unknown };
  return typeof token === "string" ? token : undefined;
}

/** `undefined` for a body that is too long or no JSON. */
async function jsonOf(request: IncomingMessage): Promise<unknown> {
  let text = "";
  for await (const chunk of request.setEncoding("utf8")) {
    text += chunk;
    if (text.length > MOST_BODY) return undefined;
  }
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function send(response: ServerResponse, type: string, text: string): void {
  response.writeHead(200, { "content-type": `${type}; charset=utf-8` }).end(text);
}

function refuse(response: ServerResponse, status: number, detail: string): void {
  response
    .writeHead(status, { "content-type": "application/problem+json" })
    .end(JSON.stringify({ status, detail }));
}
