/** One server's Fastify application: finds the hook, receives the body, asks for a decision, answers. */
import { METHODS } from "node:http";
import { Readable } from "node:stream";
import type { Routes } from "reeve/plugin";
import { isInNetworks } from "../decide/client-address.js";
import { type HookCommand, waits } from "../decide/command.js";
import {
  addressRefusal,
  bodyRefusal,
  decide,
  earlyRefusal as earlyRefusalOf,
  networkRefusal,
} from "../decide/decide.js";
import { headersOf, type Incoming } from "../decide/incoming.js";
import { type Refusal, refuse } from "../decide/refusal.js";
import { hookEvidence, type RequestContext, type RunEvidence } from "../history/run-evidence.js";
import type { HookRuntime } from "../runs/hook-runtime.js";
import { certificateOf } from "./certificate.js";
import { type Poll, pollLocation, pollOf, pollRefusal, pollResponse } from "./poll.js";
import { hasBody, receive } from "./receive-body.js";
import { type FastifyRequest, RequestView } from "./request-view.js";
import {
  acceptedResponse,
  finishedResponse,
  type HookResponse,
  refusalResponse,
} from "./response.js";
import { fileHookOf, hookAt, hookOf, parametersOf, type ServerState } from "./server-state.js";
import { StreamedResponse } from "./streamed-response.js";

interface Answering {
  code(status: number): unknown;
  header(name: string, value: string): unknown;
  send(body?: string | Uint8Array | Readable): unknown;
}

/** Fastify finds out that a request is for this server; everything behind that happens here, in its first hook. */
export function routesOf(state: ServerState): Routes {
  return (app) => {
    app.addHook("onRequest", (request, answering) => {
      const view = new RequestView(request as unknown as FastifyRequest, state.prefix);
      // Before the body: what cannot succeed is not worth receiving.
      const early = earlyRefusal(state, view);
      if (early) {
        if (early.hook) early.hook.refused(early.refusal, view.origin(state.proxies));
        else state.countUnmatched();
        send(answering, refusalResponse(early.refusal, view.headers.accept));
      } else if (!hasBody(view)) answer(state, view, answering);
      else {
        receive(view, state.bodyLimit, (body) => {
          if (body instanceof Uint8Array) {
            view.body = body;
            answer(state, view, answering);
            return;
          }
          (hookOf(state, view) ?? fileHookOf(state, view)?.running)?.refused(
            body,
            view.origin(state.proxies),
          );
          send(answering, refusalResponse(body, view.headers.accept));
        });
      }
    });
    for (const method of METHODS) {
      if (!app.supportedMethods.includes(method)) app.addHttpMethod(method);
    }
    app.all("/", unreached);
    app.all("/*", unreached);
    app.setErrorHandler((error, _request, answering) => broken(state, error, answering));
  };
}

/** The hook above has answered. */
const unreached = (): void => undefined;

/** A refusal is sent within the turn it came in: promises would be a good part of what it costs. */
function answer(state: ServerState, view: RequestView, answering: Answering): void {
  try {
    const answered = handle(state, view);
    if (!(answered instanceof Promise)) {
      send(answering, answered);
      return;
    }
    answered
      .then((later) => send(answering, later))
      .catch((thrown: unknown) => broken(state, thrown, answering));
  } catch (thrown) {
    broken(state, thrown, answering);
  }
}

/** An error of ours. */
function broken(state: ServerState, thrown: unknown, answering: Answering): void {
  state.reportError(thrown);
  const refusal = { ...refuse("bad_request", "Something went wrong here."), ...OURS };
  send(answering, refusalResponse(refusal, undefined));
}

const OURS = { status: 500, title: "Internal error" } as const;

interface EarlyRefusal {
  readonly refusal: Refusal;
  readonly hook?: HookRuntime;
}

function earlyRefusal(state: ServerState, view: RequestView): EarlyRefusal | undefined {
  if (state.stopping) {
    const headers = { "retry-after": "10" };
    return { refusal: refuse("stopping", "The daemon is stopping.", { headers }) };
  }
  if (state.allowFrom) {
    const address = view.client(state.proxies);
    if (!isInNetworks(address, state.allowFrom)) return { refusal: addressRefusal(address) };
  }
  const poll = requestedPoll(state, view);
  if (poll) {
    const refusal = networkRefusal(view.client(state.proxies), poll.hook.block);
    const wrong = refusal ?? pollRefusal(view.method);
    return wrong && { refusal: wrong, hook: poll.hook };
  }
  const hook = hookOf(state, view);
  if (!hook) {
    if (fileHookOf(state, view)) return undefined;
    return { refusal: refuse("unknown_hook", "There is no hook at this address.") };
  }
  const remoteIp = view.client(state.proxies);
  const refusal = earlyRefusalOf({ method: view.method, remoteIp }, hook.block);
  return refusal && { refusal, hook };
}

function handle(state: ServerState, view: RequestView): HookResponse | Promise<HookResponse> {
  const { accept } = view.headers;
  const poll = requestedPoll(state, view);
  if (poll) return handlePoll(state, poll, accept);
  const hook = hookOf(state, view);
  if (!hook) return handleFile(state, view);
  const { block } = hook;
  const from = view.origin(state.proxies);
  const arrived = performance.now();
  const request = incoming(state, view);
  const decision = decide(request, block);
  if (decision.kind === "run") {
    const account = hookEvidence(request, block, decision, timed(state, view, arrived));
    const placed = (run: string) =>
      pollLocation(state, block, { prefix: state.prefix, written: view.behind ?? "", run });
    return run(hook, { block, request, command: decision.command, account, from, accept, placed });
  }
  hook.refused(decision.refusal, from, request);
  return refusalResponse(decision.refusal, accept);
}

interface Accepted {
  /** As it was when the request was decided. */
  readonly block: HookRuntime["block"];
  readonly request: Incoming;
  readonly command: HookCommand;
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
    return located(refusalResponse(outcome, accept), placed);
  }
  if (live) {
    return live.answer(command.reply, outcome.id, outcome.finished, request.method === "HEAD");
  }
  if (!waits(block)) return located(acceptedResponse(block, command.reply, outcome.id), placed);
  return finishedResponse(block, command.reply, outcome.id, await outcome.finished, accept);
}

/** With the place where the run it names can be asked about. */
function located(answer: HookResponse, placed: Accepted["placed"]): HookResponse {
  const { "reeve-run": run } = answer.headers;
  const location = run === undefined ? undefined : placed(run);
  return location === undefined ? answer : { ...answer, headers: { ...answer.headers, location } };
}

const requestedPoll = (state: ServerState, { behind }: RequestView): Poll | undefined =>
  state.tickets && pollOf(state, behind, (written) => hookAt(state, written));

async function handlePoll(
  state: ServerState,
  poll: Poll,
  accept: string | undefined,
): Promise<HookResponse> {
  const outcome = await pollResponse(state, poll);
  return "reason" in outcome ? refusalResponse(outcome, accept) : outcome;
}

async function handleFile(state: ServerState, view: RequestView): Promise<HookResponse> {
  const { accept } = view.headers;
  const served = fileHookOf(state, view);
  if (!served) {
    return refusalResponse(refuse("unknown_hook", "There is no hook at this address."), accept);
  }
  const from = view.origin(state.proxies);
  const read = performance.now();
  const request = incoming(state, view);
  const unread = bodyRefusal(request);
  if (unread) {
    served.running.refused(unread, from, request);
    return refusalResponse(unread, accept);
  }
  const { method, query, body, remoteIp } = request;
  const shown = remoteIp?.includes(":") ? `[${remoteIp}]` : remoteIp;
  const remoteAddress = shown === undefined ? "@" : `${shown}:${view.raw.socket.remotePort ?? 0}`;
  const { rawHeaders } = view.raw;
  const arrived = { method, query, body, rawHeaders, remoteAddress };
  const { handleFileHook } = await import("../file-hooks/handle.js");
  const outcome = await handleFileHook(served, {
    ...{ arrived, request, from, now: state.now() },
    times: () => timed(state, view, read),
  });
  if (!("reason" in outcome)) return outcome;
  served.running.refused(outcome, from, request);
  return refusalResponse(outcome, accept);
}

function timed(
  state: ServerState,
  { startedAt: begun }: RequestView,
  arrived: number,
): RequestContext {
  const now = performance.now();
  return {
    received: Math.round(state.now() - now + begun),
    read: arrived - begun,
    decided: now - begun,
  };
}

function incoming(state: ServerState, view: RequestView): Incoming {
  return {
    method: view.method,
    headers: headersOf(view.headers),
    query: view.query,
    remoteIp: view.client(state.proxies),
    bodyLimit: state.bodyLimit,
    now: state.now(),
    certificate: state.asksForCertificates ? certificateOf(view.raw.socket) : undefined,
    path: parametersOf(state, view),
    body: view.body,
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
