/** One server's Fastify application: finds the hook, reads the body, asks for a decision, answers. */
import { METHODS } from "node:http";
import { Readable } from "node:stream";
import type { Routes } from "reeve/plugin";
import { isWithin } from "../decide/client-address.js";
import { type Command, waits } from "../decide/command.js";
import {
  bodyRefusal,
  decide,
  earlyRefusal as earlyRefusalOf,
  networkRefusal,
  strangerRefusal,
} from "../decide/decide.js";
import { headersOf, type Incoming } from "../decide/incoming.js";
import { type Refusal, refuse } from "../decide/refusal.js";
import { type Account, accountOf, type Circumstances } from "../history/account.js";
import type { RunningHook } from "../run/running-hook.js";
import { type Answer, answerAccepted, answerFinished, answerRefusal } from "./answer.js";
import { type Asked, clientOf, origin, pathBehind } from "./asked.js";
import { certificateOf } from "./certificate.js";
import { type Desk, fileHookOf, hookAt, hookOf, parametersOf } from "./desk.js";
import { LiveAnswer } from "./live-answer.js";
import { answerPoll, type Poll, placeOf, pollOf, pollRefusal } from "./poll.js";

interface Answering {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  send(body?: string | Uint8Array | Readable): unknown;
}

export function routesOf(desk: Desk): Routes {
  return (app) => {
    app.removeAllContentTypeParsers();
    app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) =>
      done(null, body),
    );

    app.decorateRequest("begun", 0);
    /** Before the body: what cannot succeed is not worth receiving. */
    app.addHook("onRequest", (request, answering, next) => {
      const asked = request as unknown as Asked;
      asked.begun = performance.now();
      const early = earlyRefusal(desk, asked);
      if (!early) {
        next();
        return;
      }
      if (early.hook) early.hook.refused(early.refusal, origin(asked, desk.proxies));
      else desk.strayed();
      send(answering, answerRefusal(early.refusal, asked.headers.accept));
    });

    for (const method of METHODS) {
      if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
    }
    // A refusal is sent within the turn it came in: promises would be a good part of what it costs.
    const answer = (asked: object, answering: Answering): Promise<unknown> | undefined => {
      const answered = handle(desk, asked as Asked);
      if (answered instanceof Promise) {
        return answered.then((later) => {
          send(answering, later);
          // What is streamed has not been sent yet: Fastify waits for it.
          return later.body instanceof Readable ? answering : undefined;
        });
      }
      send(answering, answered);
      return undefined;
    };
    app.all("/", answer);
    app.all("/*", answer);

    app.setErrorHandler((error, asked, answering) => {
      const refusal = refusalOf(error);
      const given = asked as unknown as Asked;
      if (!refusal) desk.broke(error);
      else
        (hookOf(desk, given) ?? fileHookOf(desk, given)?.running)?.refused(
          refusal,
          origin(given, desk.proxies),
        );
      const told = refusal ?? { ...refuse("bad_request", "Something went wrong here."), ...OURS };
      send(answering, answerRefusal(told, asked.headers.accept));
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
  if (desk.allowFrom) {
    const address = clientOf(asked, desk.proxies);
    if (!isWithin(address, desk.allowFrom)) return { refusal: strangerRefusal(address) };
  }
  const poll = pollAsked(desk, asked);
  if (poll) {
    const refusal = networkRefusal(clientOf(asked, desk.proxies), poll.hook.block);
    const wrong = refusal ?? pollRefusal(asked.method);
    return wrong && { refusal: wrong, hook: poll.hook };
  }
  const hook = hookOf(desk, asked);
  if (!hook) {
    if (fileHookOf(desk, asked)) return undefined;
    return { refusal: refuse("unknown_hook", "There is no hook at this address.") };
  }
  const refusal = earlyRefusalOf(
    { method: asked.method, remoteIp: clientOf(asked, desk.proxies) },
    hook.block,
  );
  return refusal && { refusal, hook };
}

function handle(desk: Desk, asked: Asked): Answer | Promise<Answer> {
  const { accept } = asked.headers;
  const poll = pollAsked(desk, asked);
  if (poll) return handlePoll(desk, poll, accept);
  const hook = hookOf(desk, asked);
  if (!hook) return handleFile(desk, asked);
  const { block } = hook;
  const from = origin(asked, desk.proxies);
  const arrived = performance.now();
  const request = incoming(desk, asked);
  const decision = decide(request, block);
  if (decision.kind === "run") {
    const account = accountOf(request, block, decision, timed(desk, asked, arrived));
    const placed = (run: string) => {
      const written = pathBehind(desk.prefix, asked) ?? "";
      return placeOf(desk, block, { prefix: desk.prefix, written, run });
    };
    return run(hook, { block, request, command: decision.command, account, from, accept, placed });
  }
  hook.refused(decision.refusal, from, request);
  return answerRefusal(decision.refusal, accept);
}

interface Accepted {
  /** As it was when the request was decided. */
  readonly block: RunningHook["block"];
  readonly request: Incoming;
  readonly command: Command;
  readonly account: Account;
  readonly from: string;
  readonly accept: string | undefined;
  /** Where its run can be asked about. */
  readonly placed: (run: string) => string | undefined;
}

async function run(hook: RunningHook, accepted: Accepted): Promise<Answer> {
  const { block, request, command, account, from, accept, placed } = accepted;
  const live = block.values.response?.values.stream ? new LiveAnswer(block) : undefined;
  const outcome = await hook.trigger(block, command, from, account, live?.listen);
  if ("reason" in outcome) {
    hook.refused(outcome, from, request);
    return located(answerRefusal(outcome, accept), placed);
  }
  if (live) {
    return live.answer(command.reply, outcome.id, outcome.finished, request.method === "HEAD");
  }
  if (!waits(block)) return located(answerAccepted(block, command.reply, outcome.id), placed);
  return answerFinished(block, command.reply, outcome.id, await outcome.finished, accept);
}

/** With the place where the run it names can be asked about. */
function located(answer: Answer, placed: Accepted["placed"]): Answer {
  const { "reeve-run": run } = answer.headers;
  const location = run === undefined ? undefined : placed(run);
  return location === undefined ? answer : { ...answer, headers: { ...answer.headers, location } };
}

const pollAsked = (desk: Desk, asked: Asked): Poll | undefined =>
  desk.tickets && pollOf(desk, pathBehind(desk.prefix, asked), (written) => hookAt(desk, written));

async function handlePoll(desk: Desk, poll: Poll, accept: string | undefined): Promise<Answer> {
  const outcome = await answerPoll(desk, poll);
  return "reason" in outcome ? answerRefusal(outcome, accept) : outcome;
}

async function handleFile(desk: Desk, asked: Asked): Promise<Answer> {
  const { accept } = asked.headers;
  const served = fileHookOf(desk, asked);
  if (!served) {
    return answerRefusal(refuse("unknown_hook", "There is no hook at this address."), accept);
  }
  const from = origin(asked, desk.proxies);
  const read = performance.now();
  const request = incoming(desk, asked);
  const unread = bodyRefusal(request);
  if (unread) {
    served.running.refused(unread, from, request);
    return answerRefusal(unread, accept);
  }
  const { method, query, body, remoteIp } = request;
  const shown = remoteIp?.includes(":") ? `[${remoteIp}]` : remoteIp;
  const remoteAddress = shown === undefined ? "@" : `${shown}:${asked.raw.socket.remotePort ?? 0}`;
  const { rawHeaders } = asked.raw;
  const arrived = { method, query, body, rawHeaders, remoteAddress };
  const { handleFileHook } = await import("../files/handle.js");
  const outcome = await handleFileHook(served, {
    ...{ arrived, request, from, now: desk.now() },
    times: () => timed(desk, asked, read),
  });
  if (!("reason" in outcome)) return outcome;
  served.running.refused(outcome, from, request);
  return answerRefusal(outcome, accept);
}

function timed(desk: Desk, { begun }: Asked, arrived: number): Circumstances {
  const now = performance.now();
  return {
    received: Math.round(desk.now() - now + begun),
    read: arrived - begun,
    decided: now - begun,
  };
}

function incoming(desk: Desk, asked: Asked): Incoming {
  const mark = asked.originalUrl.indexOf("?");
  const parameters = parametersOf(desk, asked);
  return {
    method: asked.method,
    headers: headersOf(asked.headers),
    query: mark === -1 ? "" : asked.originalUrl.slice(mark + 1),
    remoteIp: clientOf(asked, desk.proxies),
    bodyLimit: desk.bodyLimit,
    now: desk.now(),
    ...(desk.asksForCertificates ? { certificate: certificateOf(asked.raw.socket) } : {}),
    ...(parameters === undefined ? {} : { path: parameters }),
    body: Buffer.isBuffer(asked.body) ? asked.body : new Uint8Array(),
  };
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

function send(answering: Answering, { status, headers, body }: Answer): void {
  const isEmpty = status === 204 || status === 304;
  answering.code(status);
  for (const name in headers) {
    if (!isEmpty || name !== "content-type") answering.header(name, headers[name] ?? "");
  }
  answering.header("x-content-type-options", "nosniff");
  if (isEmpty) answering.send();
  else answering.send(body instanceof Uint8Array ? Buffer.from(body) : body);
}
