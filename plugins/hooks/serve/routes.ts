/** One server's Fastify application: finds the hook, receives the body, asks for a decision, answers. */
import { METHODS } from "node:http";
import { Readable } from "node:stream";
import type { Routes } from "reeve/plugin";
import { isWithin } from "../decide/client-address.js";
import { type Command, waits } from "../decide/command.js";
import {
  addressRefusal,
  bodyRefusal,
  decide,
  earlyRefusal as earlyRefusalOf,
  networkRefusal,
} from "../decide/decide.js";
import { headersOf, type Incoming } from "../decide/incoming.js";
import { type Refusal, refuse } from "../decide/refusal.js";
import { accountOf, type RequestContext, type RunEvidence } from "../history/run-evidence.js";
import type { HookRuntime } from "../run/hook-runtime.js";
import { certificateOf } from "./certificate.js";
import { answerPoll, type Poll, pollLocation, pollOf, pollRefusal } from "./poll.js";
import { hasBody, receive } from "./receive-body.js";
import { type FastifyRequest, RequestView } from "./request-view.js";
import { answerAccepted, answerFinished, answerRefusal, type HookResponse } from "./response.js";
import { fileHookOf, hookAt, hookOf, parametersOf, type ServerState } from "./server-state.js";
import { StreamedResponse } from "./streamed-response.js";

interface Answering {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  send(body?: string | Uint8Array | Readable): unknown;
}

/** Fastify finds out that a request is for this server; everything behind that happens here, in its first hook. */
export function routesOf(desk: ServerState): Routes {
  return (app) => {
    app.addHook("onRequest", (request, answering) => {
      const asked = new RequestView(request as unknown as FastifyRequest, desk.prefix);
      // Before the body: what cannot succeed is not worth receiving.
      const early = earlyRefusal(desk, asked);
      if (early) {
        if (early.hook) early.hook.refused(early.refusal, asked.origin(desk.proxies));
        else desk.strayed();
        send(answering, answerRefusal(early.refusal, asked.headers.accept));
      } else if (!hasBody(asked)) answer(desk, asked, answering);
      else {
        receive(asked, desk.bodyLimit, (body) => {
          if (body instanceof Uint8Array) {
            asked.body = body;
            answer(desk, asked, answering);
            return;
          }
          (hookOf(desk, asked) ?? fileHookOf(desk, asked)?.running)?.refused(
            body,
            asked.origin(desk.proxies),
          );
          send(answering, answerRefusal(body, asked.headers.accept));
        });
      }
    });
    for (const method of METHODS) {
      if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
    }
    app.all("/", unreached);
    app.all("/*", unreached);
    app.setErrorHandler((error, _request, answering) => broken(desk, error, answering));
  };
}

/** The hook above has answered. */
const unreached = (): void => undefined;

/** A refusal is sent within the turn it came in: promises would be a good part of what it costs. */
function answer(desk: ServerState, asked: RequestView, answering: Answering): void {
  try {
    const answered = handle(desk, asked);
    if (!(answered instanceof Promise)) {
      send(answering, answered);
      return;
    }
    answered
      .then((later) => send(answering, later))
      .catch((thrown: unknown) => broken(desk, thrown, answering));
  } catch (thrown) {
    broken(desk, thrown, answering);
  }
}

/** An error of ours. */
function broken(desk: ServerState, thrown: unknown, answering: Answering): void {
  desk.broke(thrown);
  const told = { ...refuse("bad_request", "Something went wrong here."), ...OURS };
  send(answering, answerRefusal(told, undefined));
}

const OURS = { status: 500, title: "Internal error" } as const;

interface EarlyRefusal {
  readonly refusal: Refusal;
  readonly hook?: HookRuntime;
}

function earlyRefusal(desk: ServerState, asked: RequestView): EarlyRefusal | undefined {
  if (desk.stopping) {
    const headers = { "retry-after": "10" };
    return { refusal: refuse("stopping", "The daemon is stopping.", { headers }) };
  }
  if (desk.allowFrom) {
    const address = asked.client(desk.proxies);
    if (!isWithin(address, desk.allowFrom)) return { refusal: addressRefusal(address) };
  }
  const poll = pollAsked(desk, asked);
  if (poll) {
    const refusal = networkRefusal(asked.client(desk.proxies), poll.hook.block);
    const wrong = refusal ?? pollRefusal(asked.method);
    return wrong && { refusal: wrong, hook: poll.hook };
  }
  const hook = hookOf(desk, asked);
  if (!hook) {
    if (fileHookOf(desk, asked)) return undefined;
    return { refusal: refuse("unknown_hook", "There is no hook at this address.") };
  }
  const remoteIp = asked.client(desk.proxies);
  const refusal = earlyRefusalOf({ method: asked.method, remoteIp }, hook.block);
  return refusal && { refusal, hook };
}

function handle(desk: ServerState, asked: RequestView): HookResponse | Promise<HookResponse> {
  const { accept } = asked.headers;
  const poll = pollAsked(desk, asked);
  if (poll) return handlePoll(desk, poll, accept);
  const hook = hookOf(desk, asked);
  if (!hook) return handleFile(desk, asked);
  const { block } = hook;
  const from = asked.origin(desk.proxies);
  const arrived = performance.now();
  const request = incoming(desk, asked);
  const decision = decide(request, block);
  if (decision.kind === "run") {
    const account = accountOf(request, block, decision, timed(desk, asked, arrived));
    const placed = (run: string) =>
      pollLocation(desk, block, { prefix: desk.prefix, written: asked.behind ?? "", run });
    return run(hook, { block, request, command: decision.command, account, from, accept, placed });
  }
  hook.refused(decision.refusal, from, request);
  return answerRefusal(decision.refusal, accept);
}

interface Accepted {
  /** As it was when the request was decided. */
  readonly block: HookRuntime["block"];
  readonly request: Incoming;
  readonly command: Command;
  readonly account: RunEvidence;
  readonly from: string;
  readonly accept: string | undefined;
  /** Where its run can be asked about. */
  readonly placed: (run: string) => string | undefined;
}

async function run(hook: HookRuntime, accepted: Accepted): Promise<HookResponse> {
  const { block, request, command, account, from, accept, placed } = accepted;
  const live = block.values.response?.values.stream ? new StreamedResponse(block) : undefined;
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
function located(answer: HookResponse, placed: Accepted["placed"]): HookResponse {
  const { "reeve-run": run } = answer.headers;
  const location = run === undefined ? undefined : placed(run);
  return location === undefined ? answer : { ...answer, headers: { ...answer.headers, location } };
}

const pollAsked = (desk: ServerState, { behind }: RequestView): Poll | undefined =>
  desk.tickets && pollOf(desk, behind, (written) => hookAt(desk, written));

async function handlePoll(
  desk: ServerState,
  poll: Poll,
  accept: string | undefined,
): Promise<HookResponse> {
  const outcome = await answerPoll(desk, poll);
  return "reason" in outcome ? answerRefusal(outcome, accept) : outcome;
}

async function handleFile(desk: ServerState, asked: RequestView): Promise<HookResponse> {
  const { accept } = asked.headers;
  const served = fileHookOf(desk, asked);
  if (!served) {
    return answerRefusal(refuse("unknown_hook", "There is no hook at this address."), accept);
  }
  const from = asked.origin(desk.proxies);
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

function timed(desk: ServerState, { begun }: RequestView, arrived: number): RequestContext {
  const now = performance.now();
  return {
    received: Math.round(desk.now() - now + begun),
    read: arrived - begun,
    decided: now - begun,
  };
}

function incoming(desk: ServerState, asked: RequestView): Incoming {
  return {
    method: asked.method,
    headers: headersOf(asked.headers),
    query: asked.query,
    remoteIp: asked.client(desk.proxies),
    bodyLimit: desk.bodyLimit,
    now: desk.now(),
    certificate: desk.asksForCertificates ? certificateOf(asked.raw.socket) : undefined,
    path: parametersOf(desk, asked),
    body: asked.body,
  };
}

function send(answering: Answering, { status, headers, body }: HookResponse): void {
  const isEmpty = status === 204 || status === 304;
  answering.code(status);
  for (const name in headers) {
    if (!isEmpty || name !== "content-type") answering.header(name, headers[name] ?? "");
  }
  answering.header("x-content-type-options", "nosniff");
  if (isEmpty) answering.send();
  else answering.send(body instanceof Uint8Array ? Buffer.from(body) : body);
}
