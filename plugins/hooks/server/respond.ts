/** What a daemon's hook server responds: finds the hook, decides, submits a run, renders the result. */
import { clientNetwork } from "reeve/plugin";
import { isInNetworks } from "../decide/client-address.js";
import { type HookCommand, waits } from "../decide/command.js";
import {
  addressRefusal,
  bodyRefusal,
  decide,
  earlyRefusal,
  networkRefusal,
} from "../decide/decide.js";
import { headersOf, type Incoming } from "../decide/incoming.js";
import { type Refusal, refuse } from "../decide/refusal.js";
import { hookEvidence, type RequestContext, type RunEvidence } from "../evidence/run-evidence.js";
import type { HookRuntime } from "../runs/hook-runtime.js";
import { certificateOf } from "./certificate.js";
import { isPreflight, preflightRefusal, preflightResponse, shared } from "./cors.js";
import { decoded, findHook, type HookMatch } from "./find-hook.js";
import type { Exchange, HandlerOptions, HookResponse } from "./handler.js";
import type { FileHookTarget, HookServer } from "./hook-server.js";
import { type Poll, pollLocation, pollOf, pollRefusal, pollResponse } from "./poll.js";
import type { BodyProblem } from "./receive-body.js";
import { pathBelow, type RequestView } from "./request-view.js";
import { acceptedResponse, finishedResponse, refusalResponse } from "./response.js";
import { StreamedResponse } from "./streamed-response.js";
import { needsTokens } from "./token-verifier.js";

/** `server` is read anew for every request: edits change the responses, not the handler. */
export const handlerOptions = (server: HookServer): HandlerOptions => ({
  get bodyLimit() {
    return server.settings.body_limit;
  },
  headers: { "x-content-type-options": "nosniff" },
  open: (request) => new HookExchange(server, request),
});

/** One request to a server of the daemon. */
class HookExchange implements Exchange {
  readonly #server: HookServer;
  readonly #request: RequestView;
  /** Below the server's prefix; `undefined` for another path. */
  readonly #path: string | undefined;
  #match: HookMatch | undefined;

  constructor(server: HookServer, request: RequestView) {
    this.#server = server;
    this.#request = request;
    this.#path = pathBelow(server.prefix, request.path);
  }

  /** `decide` refuses a body of these. */
  get ignoresBody(): boolean {
    const { method } = this.#request;
    return method === "GET" || method === "HEAD";
  }

  /** Before the body: what cannot succeed is not worth receiving. */
  begin(): HookResponse | undefined {
    const early = this.#earlyRefusal();
    if (!early) {
      const { hook } = this.#find();
      const needsPermission = hook && isPreflight(this.#request, hook.block);
      return needsPermission ? this.#share(preflightResponse(hook.block)) : undefined;
    }
    if (early.hook) early.hook.refused(early.refusal, this.#origin);
    else if (early.refusal !== BAD_PATH) this.#server.countUnmatched();
    return this.#share(this.#render(early.refusal), early.hook);
  }

  respond(body: Uint8Array): HookResponse | Promise<HookResponse> {
    const poll = this.#poll();
    if (poll) return this.#respondToPoll(poll);
    const { hook, file } = this.#find();
    if (hook) {
      const response = this.#respondWith(hook, body);
      if (!hook.block.values.cors) return response;
      return response instanceof Promise
        ? response.then((ready) => this.#share(ready, hook))
        : this.#share(response, hook);
    }
    return file ? this.#respondWithFile(file, body) : this.#render(unknownHook());
  }

  reject(problem: BodyProblem): HookResponse {
    const { hook, file } = this.#find();
    const refusal =
      problem === "too_large"
        ? refuse("body_too_large", "The body is longer than this server accepts.", CLOSING)
        : refuse("bad_request", "The body does not arrive as announced.", CLOSING);
    (hook ?? file?.runtime)?.refused(refusal, this.#origin);
    return this.#share(this.#render(refusal), hook);
  }

  fail(thrown: unknown): HookResponse {
    this.#server.reportError(thrown);
    const refusal = refuse("bad_request", "An internal error occurred; see the daemon's log.");
    const failed = { ...refusal, status: 500, title: "Internal error" };
    return this.#share(refusalResponse(failed, undefined));
  }

  #earlyRefusal(): { readonly refusal: Refusal; readonly hook?: HookRuntime } | undefined {
    const { stopping, allowFrom } = this.#server;
    if (stopping) {
      const headers = { "retry-after": "10" };
      return { refusal: refuse("stopping", "The daemon is stopping.", { headers }) };
    }
    const { method, path } = this.#request;
    if (decoded(path) === undefined) return { refusal: BAD_PATH };
    const remoteIp = this.#client;
    if (allowFrom && !isInNetworks(remoteIp, allowFrom)) {
      return { refusal: addressRefusal(remoteIp) };
    }
    const poll = this.#poll();
    if (poll) {
      const refusal = networkRefusal(remoteIp, poll.hook.block) ?? pollRefusal(method);
      return refusal && { refusal, hook: poll.hook };
    }
    const { hook, file } = this.#find();
    if (!hook) return file ? undefined : { refusal: unknownHook() };
    const { block } = hook;
    if (isPreflight(this.#request, block)) {
      const refusal = networkRefusal(remoteIp, block) ?? preflightRefusal(this.#request, block);
      return refusal && { refusal, hook };
    }
    const isByAddress = block.values.limit?.values.key === undefined;
    const refusal =
      earlyRefusal({ method, remoteIp }, block) ??
      (isByAddress
        ? hook.rateLimit.exceeded(block.values.limit, clientNetwork(remoteIp ?? ""))
        : undefined);
    return refusal && { refusal, hook };
  }

  #respondWith(hook: HookRuntime, body: Uint8Array): HookResponse | Promise<HookResponse> {
    const { block } = hook;
    const receivedAt = performance.now();
    const request = this.#incoming(body);
    const { tokens } = this.#server;
    return needsTokens(block)
      ? tokens
          .withTokens(request, block)
          .then((verified) => this.#decide(hook, block, verified, receivedAt))
      : this.#decide(hook, block, request, receivedAt);
  }

  #decide(
    hook: HookRuntime,
    block: HookRuntime["block"],
    request: Incoming,
    receivedAt: number,
  ): HookResponse | Promise<HookResponse> {
    const decision = decide(request, block);
    if (decision.kind === "refuse") {
      hook.refused(decision.refusal, this.#origin, request);
      return this.#render(decision.refusal);
    }
    const { limitKey } = decision.command;
    const excess =
      limitKey === undefined ? undefined : hook.rateLimit.exceeded(block.values.limit, limitKey);
    if (excess) {
      hook.refused(excess, this.#origin, request);
      return this.#render(excess);
    }
    const evidence = hookEvidence(request, block, decision, this.#context(receivedAt));
    return this.#run(hook, block, request, decision.command, evidence);
  }

  /** `block`: as it was when the request was decided. */
  async #run(
    hook: HookRuntime,
    block: HookRuntime["block"],
    request: Incoming,
    command: HookCommand,
    evidence: RunEvidence,
  ): Promise<HookResponse> {
    const { reply } = command;
    const stream = block.values.response?.values.stream ? new StreamedResponse(block) : undefined;
    const run = await hook.trigger(block, command, this.#origin, evidence, stream?.listen);
    if ("reason" in run) {
      hook.refused(run, this.#origin, request);
      return this.#located(this.#render(run), block);
    }
    if (stream) return stream.respond(reply, run.id, run.finished, request.method === "HEAD");
    if (!waits(block)) return this.#located(acceptedResponse(block, reply, run.id), block);
    return finishedResponse(block, reply, run.id, await run.finished, this.#accept);
  }

  /** With the location where its run can be polled. */
  #located(response: HookResponse, block: HookRuntime["block"]): HookResponse {
    const { "reeve-run": run } = response.headers;
    if (run === undefined) return response;
    const { prefix } = this.#server;
    const location = pollLocation(this.#server, block, { prefix, path: this.#path ?? "", run });
    if (location === undefined) return response;
    return { ...response, headers: { ...response.headers, location } };
  }

  #poll(): Poll | undefined {
    const { tickets } = this.#server;
    return tickets && pollOf(tickets, this.#path, (path) => findHook(this.#server, path).hook);
  }

  async #respondToPoll(poll: Poll): Promise<HookResponse> {
    const result = await pollResponse(this.#server.runs, poll);
    return this.#share("reason" in result ? this.#render(result) : result, poll.hook);
  }

  async #respondWithFile(file: FileHookTarget, body: Uint8Array): Promise<HookResponse> {
    const receivedAt = performance.now();
    const request = this.#incoming(body);
    const { raw } = this.#request;
    const result =
      bodyRefusal(request) ??
      (await file.respond({
        request,
        rawHeaders: raw.rawHeaders,
        port: raw.socket.remotePort ?? 0,
        from: this.#origin,
        context: () => this.#context(receivedAt),
      }));
    if (!("reason" in result)) return result;
    file.runtime.refused(result, this.#origin, request);
    return this.#render(result);
  }

  #render(refusal: Refusal): HookResponse {
    return refusalResponse(refusal, this.#accept);
  }

  #share(response: HookResponse, hook = this.#find().hook): HookResponse {
    return shared(response, this.#request, hook?.block);
  }

  /** Again where an edit has replaced the hooks since. */
  #find(): HookMatch {
    if (this.#match?.hooks !== this.#server.hooks) {
      this.#match = findHook(this.#server, this.#path);
    }
    return this.#match;
  }

  #incoming(body: Uint8Array): Incoming {
    const { method, headers, query, raw } = this.#request;
    const { settings, asksForCertificates } = this.#server;
    return {
      ...{ method, headers: headersOf(headers), query, remoteIp: this.#client },
      bodyLimit: settings.body_limit,
      now: this.#server.now(),
      certificate: asksForCertificates ? certificateOf(raw.socket) : undefined,
      path: this.#find().parameters,
      body,
    };
  }

  #context(receivedAt: number): RequestContext {
    const { startedAt } = this.#request;
    const now = performance.now();
    return {
      received: Math.round(this.#server.now() - now + startedAt),
      read: receivedAt - startedAt,
      decided: now - startedAt,
    };
  }

  get #accept(): string | undefined {
    return this.#request.headers.accept;
  }

  get #client(): string | undefined {
    return this.#request.client(this.#server.proxies);
  }

  get #origin(): string {
    return this.#request.origin(this.#server.proxies);
  }
}

const BAD_PATH = refuse("bad_request", "The path has an invalid escape.");

const unknownHook = (): Refusal => refuse("unknown_hook", "There is no hook at this address.");

/** The rest of the body may follow; it is not read. */
const CLOSING = { headers: { connection: "close" } } as const;
