/** One server's Fastify application: finds the hook, reads the body, asks for a decision, answers. */
import { type IncomingHttpHeaders, METHODS } from "node:http";
import type { Routes } from "reeve/plugin";
import { waits } from "../decide/command.js";
import { bodyRefusal, decide, methodRefusal } from "../decide/decide.js";
import { headersOf, type Incoming } from "../decide/incoming.js";
import { type Refusal, refuse } from "../decide/refusal.js";
import type { ServedHook } from "../files/hooks-file.js";
import type { RunningHook } from "../run/running-hook.js";
import { type Answer, answerAccepted, answerFinished, answerRefusal } from "./answer.js";
import type { PathMatch, PathPatterns } from "./path-patterns.js";

/** What the application asks of its server, anew for every request: edits change the answers, not the application. */
export interface Desk {
  /** `/hooks`; `/` for none. */
  readonly prefix: string;
  /** By the path behind the prefix. */
  readonly hooks: ReadonlyMap<string, RunningHook>;
  /** Those whose path has parameters. */
  readonly patterns: PathPatterns<RunningHook>;
  /** Of hooks files, by id; hooks of the language come first. */
  fileHook(id: string): ServedHook | undefined;
  /** Milliseconds since the epoch. */
  now(): number;
  readonly stopping: boolean;
  /** Tells that somebody asked for what is not there. */
  strayed(): void;
  /** Tells about an error of ours. */
  broke(thrown: unknown): void;
}

/** What is needed of Fastify's request and reply. */
interface Asked {
  readonly method: string;
  /** As sent, prefix and query included. */
  readonly originalUrl: string;
  readonly headers: IncomingHttpHeaders;
  readonly body: unknown;
  readonly ip: string;
  readonly raw: {
    readonly rawHeaders: readonly string[];
    readonly socket: { readonly remotePort?: number | undefined };
  };
}
interface Answering {
  code(status: number): unknown;
  headers(values: Readonly<Record<string, string>>): unknown;
  send(body?: string | Uint8Array): unknown;
}

export function routesOf(desk: Desk): Routes {
  return (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) =>
      done(null, body),
    );

    /** Before the body: what cannot succeed is not worth receiving. */
    app.addHook("onRequest", async (asked, answering) => {
      const early = earlyRefusal(desk, asked);
      if (!early) return;
      if (early.hook) early.hook.refused(early.refusal, origin(asked));
      else desk.strayed();
      return send(answering, answerRefusal(early.refusal, asked.headers.accept));
    });

    for (const method of METHODS) {
      if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
    }
    const answer = async (asked: Asked, answering: Answering) =>
      send(answering, await handle(desk, asked));
    app.all("/", answer);
    app.all("/*", answer);

    app.setErrorHandler(async (error, asked, answering) => {
      const refusal = refusalOf(error);
      if (!refusal) desk.broke(error);
      else
        (hookOf(desk, asked) ?? fileHookOf(desk, asked)?.running)?.refused(refusal, origin(asked));
      const told = refusal ?? { ...refuse("bad_request", "Something went wrong here."), ...OURS };
      return send(answering, answerRefusal(told, asked.headers.accept));
    });
  };
}

const OURS = { status: 500, title: "Internal error" } as const;

interface EarlyRefusal {
  readonly refusal: Refusal;
  readonly hook?: RunningHook;
}

function earlyRefusal(desk: Desk, asked: Asked): EarlyRefusal | undefined {
  if (desk.stopping) {
    const headers = { "retry-after": "10" };
    return { refusal: refuse("stopping", "The daemon is stopping.", { headers }) };
  }
  const hook = hookOf(desk, asked);
  if (!hook) {
    if (fileHookOf(desk, asked)) return undefined;
    return { refusal: refuse("unknown_hook", "There is no hook at this address.") };
  }
  const refusal = methodRefusal(asked.method, hook.block);
  return refusal && { refusal, hook };
}

async function handle(desk: Desk, asked: Asked): Promise<Answer> {
  const { accept } = asked.headers;
  const hook = hookOf(desk, asked);
  if (!hook) return handleFile(desk, asked);
  const { block } = hook;
  const from = origin(asked);
  const decision = decide(incoming(desk, asked), block);
  const outcome =
    decision.kind === "refuse"
      ? decision.refusal
      : await hook.trigger(block, decision.command, from);
  if ("reason" in outcome) {
    hook.refused(outcome, from);
    return answerRefusal(outcome, accept);
  }
  const reply = decision.kind === "run" ? decision.command.reply : NO_REPLY;
  if (!waits(block)) return answerAccepted(block, reply, outcome.id);
  return answerFinished(block, reply, outcome.id, await outcome.finished, accept);
}

async function handleFile(desk: Desk, asked: Asked): Promise<Answer> {
  const { accept } = asked.headers;
  const served = fileHookOf(desk, asked);
  if (!served) {
    return answerRefusal(refuse("unknown_hook", "There is no hook at this address."), accept);
  }
  const from = origin(asked);
  const request = incoming(desk, asked);
  const unread = bodyRefusal(request);
  if (unread) {
    served.running.refused(unread, from);
    return answerRefusal(unread, accept);
  }
  const { method, query, body, remoteIp } = request;
  const shown = remoteIp?.includes(":") ? `[${remoteIp}]` : remoteIp;
  const remoteAddress = shown === undefined ? "@" : `${shown}:${asked.raw.socket.remotePort ?? 0}`;
  const { rawHeaders } = asked.raw;
  const arrived = { method, query, body, rawHeaders, remoteAddress };
  const { handleFileHook } = await import("../files/handle.js");
  const outcome = await handleFileHook(served, { arrived, from, now: desk.now() });
  if (!("reason" in outcome)) return outcome;
  served.running.refused(outcome, from);
  return answerRefusal(outcome, accept);
}

const NO_REPLY = { body: undefined, headers: {} } as const;

function incoming(desk: Desk, asked: Asked): Incoming {
  const mark = asked.originalUrl.indexOf("?");
  const parameters = parametersOf(desk, asked);
  return {
    method: asked.method,
    headers: headersOf(asked.headers),
    query: mark === -1 ? "" : asked.originalUrl.slice(mark + 1),
    remoteIp: remoteIp(asked),
    now: desk.now(),
    ...(parameters === undefined ? {} : { path: parameters }),
    body: Buffer.isBuffer(asked.body) ? asked.body : new Uint8Array(),
  };
}

/** An IPv4 address is written as one, whatever the socket calls it. */
function remoteIp(asked: Asked): string | undefined {
  return asked.ip ? asked.ip.replace(/^::ffff:(?=\d+\.)/, "") : undefined;
}

/** The hook whose path is what stands behind the prefix. */
function hookOf(desk: Desk, asked: Asked): RunningHook | undefined {
  const name = nameIn(desk, asked);
  const literal = name === undefined ? undefined : desk.hooks.get(name);
  return literal ?? matchOf(desk, asked)?.value;
}

function matchOf(desk: Desk, asked: Asked): PathMatch<RunningHook> | undefined {
  if (desk.patterns.size === 0) return undefined;
  const written = writtenIn(desk, asked);
  return written === undefined ? undefined : desk.patterns.find(written);
}

/** Of the hook that answers; nothing where its path is literal. */
function parametersOf(desk: Desk, asked: Asked): PathMatch<RunningHook>["parameters"] | undefined {
  const match = matchOf(desk, asked);
  return match && hookOf(desk, asked) === match.value ? match.parameters : undefined;
}

function fileHookOf(desk: Desk, asked: Asked): ServedHook | undefined {
  const name = nameIn(desk, asked);
  return name === undefined ? undefined : desk.fileHook(name);
}

/** As sent. */
function writtenIn(desk: Desk, asked: Asked): string | undefined {
  const path = pathOf(asked);
  const start = desk.prefix === "/" ? "/" : `${desk.prefix}/`;
  return path.startsWith(start) ? path.slice(start.length) : undefined;
}

function nameIn(desk: Desk, asked: Asked): string | undefined {
  const written = writtenIn(desk, asked);
  if (!written?.includes("%")) return written;
  try {
    return decodeURIComponent(written);
  } catch {
    return undefined;
  }
}

/** `POST /hooks/deploy from 192.0.2.7`: without the query, which may hold secrets. */
function origin(asked: Asked): string {
  return `${asked.method} ${pathOf(asked).slice(0, 200)} from ${remoteIp(asked) ?? "a local socket"}`;
}

/** Proxies may send the whole URL. */
function pathOf({ originalUrl }: Asked): string {
  const [path = ""] = originalUrl.replace(/^https?:\/\/[^/?]*/i, "").split("?", 1);
  return path;
}

/** Fastify's own refusals; `undefined` for an error of ours. */
function refusalOf(error: unknown): Refusal | undefined {
  const { statusCode } = error as { readonly statusCode?: number };
  switch (statusCode) {
    case 413:
      return refuse("body_too_large", "The body is longer than this server accepts.");
    case 415:
      return refuse("unsupported_media_type", "The content type cannot be read.");
    case 400:
    case 408:
      return refuse("bad_request", "The request did not arrive as it was announced.", {
        status: statusCode,
      });
    default:
      return undefined;
  }
}

function send(answering: Answering, { status, headers, body }: Answer): unknown {
  const empty = status === 204 || status === 304;
  const { "content-type": type = "", ...others } = headers;
  answering.code(status);
  answering.headers({
    ...others,
    ...(empty ? {} : { "content-type": type }),
    "x-content-type-options": "nosniff",
  });
  if (empty) return answering.send();
  return answering.send(typeof body === "string" ? body : Buffer.from(body));
}
