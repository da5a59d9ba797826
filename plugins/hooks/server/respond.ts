/** What a daemon's hook server responds: finds the hook, decides, submits a run, renders the result. */
import { type HookCommand, waits } from "../decide/command.js";
import { bodyRefusal, decide, type HookDecision } from "../decide/decide.js";
import { decideAmong } from "../decide/decide-among.js";
import { decodedHeaders, type Incoming } from "../decide/incoming.js";
import { type Refusal, refuse } from "../decide/refusal.js";
import { hookEvidence, type RequestContext, type RunEvidence } from "../evidence/run-evidence.js";
import type { HookRuntime } from "../runs/hook-runtime.js";
import { newInvocation } from "../runs/invocation.js";
import { certificateOf } from "./certificate.js";
import { isPreflight, preflightResponse, shared } from "./cors.js";
import {
  addressLimit,
  BAD_PATH,
  type EarlyRefusal,
  earlyRefusal,
  unknownHook,
} from "./early-refusal.js";
import { findHook, type HookMatch, placedAt } from "./find-hook.js";
import type { Exchange, HandlerOptions, HookResponse } from "./handler.js";
import type { FileHookTarget, HookServer, PlacedHook } from "./hook-server.js";
import { type Poll, pollLocation, pollOf, pollResponse } from "./poll.js";
import type { BodyProblem } from "./receive-body.js";
import { pathBelow, type RequestView } from "./request-view.js";
import {
  acceptedResponse,
  configuredRefusal,
  finishedResponse,
  refusalResponse,
} from "./response.js";
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
    return ["GET", "HEAD"].includes(this.#request.method);
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
    return this.#share(this.#render(early.refusal, early.hook?.block), early.hook);
  }

  respond(body: Uint8Array): HookResponse | Promise<HookResponse> {
    const poll = this.#poll();
    if (poll) return this.#respondToPoll(poll);
    const { hook, file } = this.#find();
    if (hook) {
      const response = this.#respondWith(hook, body);
      if (this.#find().candidates.length > 1 || !hook.block.values.cors) return response;
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
    return this.#share(this.#render(refusal, hook?.block), hook);
  }

  fail(thrown: unknown): HookResponse {
    this.#server.reportError(thrown);
    const refusal = refuse("bad_request", "An internal error occurred; see the daemon's log.");
    const failed = { ...refusal, status: 500, title: "Internal error" };
    return this.#share(refusalResponse(failed, undefined));
  }

  #earlyRefusal(): EarlyRefusal | undefined {
    return earlyRefusal(this.#server, {
      ...{ request: this.#request, remoteIp: this.#client },
      poll: () => this.#poll(),
      match: () => this.#find(),
    });
  }

  #respondWith(hook: HookRuntime, body: Uint8Array): HookResponse | Promise<HookResponse> {
    const { candidates } = this.#find();
    if (candidates.length > 1) return this.#respondWithFirst(candidates, body);
    const { block } = hook;
    const receivedAt = performance.now();
    const received = this.#incoming(body);
    const { tokens } = this.#server;
    const execute = (request: Incoming): HookResponse | Promise<HookResponse> =>
      this.#execute(hook, block, request, decide(request, block), receivedAt);
    return needsTokens(block)
      ? tokens.withTokens(received, block).then(execute)
      : execute(received);
  }

  /** Of several hooks, the first that verifies the sender and whose condition holds. */
  async #respondWithFirst(placed: readonly PlacedHook[], body: Uint8Array): Promise<HookResponse> {
    const receivedAt = performance.now();
    const received = this.#incoming(body);
    const { tokens } = this.#server;
    const [first, ...others] = await Promise.all(
      placed.map(async ({ value: runtime, parameters }) => {
        const { block } = runtime;
        const given = { ...received, path: parameters };
        const request = needsTokens(block) ? await tokens.withTokens(given, block) : given;
        return {
          runtime,
          hook: block,
          request,
          limited: () => addressLimit(runtime, this.#client),
        };
      }),
    );
    if (!first) return this.#render(unknownHook());
    const { decision, by } = decideAmong([first, ...others]);
    const response = await this.#execute(by.runtime, by.hook, by.request, decision, receivedAt);
    return this.#share(response, by.runtime);
  }

  #execute(
    hook: HookRuntime,
    block: HookRuntime["block"],
    request: Incoming,
    decision: HookDecision,
    receivedAt: number,
  ): HookResponse | Promise<HookResponse> {
    if (decision.kind === "refuse") {
      hook.refused(decision.refusal, this.#origin, request);
      return this.#render(decision.refusal, block);
    }
    const { limitKey } = decision.command;
    const excess =
      limitKey === undefined
        ? undefined
        : hook.admission.rateLimit.exceeded(block.values.limit, limitKey);
    if (excess) {
      hook.refused(excess, this.#origin, request);
      return this.#render(excess, block);
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
    const more = { evidence, listen: stream?.listen };
    const run = await hook.trigger(newInvocation(block, command, this.#origin, more));
    if ("reason" in run) {
      hook.refused(run, this.#origin, request);
      return this.#located(this.#render(run, block), block);
    }
    if (stream) return stream.respond(reply, run.id, run.finished, request.method === "HEAD");
    if (!waits(block)) return this.#located(acceptedResponse(block, reply, run.id), block);
    return finishedResponse(block, reply, run.id, await run.finished, (refusal) =>
      this.#render(refusal, block, { run: run.id }),
    );
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
    return tickets && pollOf(tickets, this.#path, (path) => placedAt(this.#server, path));
  }

  async #respondToPoll(poll: Poll): Promise<HookResponse> {
    const result = await pollResponse(this.#server.runs, poll);
    return this.#share(
      "reason" in result ? this.#render(result, poll.hook.block) : result,
      poll.hook,
    );
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

  #render(
    refusal: Refusal,
    block?: HookRuntime["block"],
    more?: Readonly<Record<string, string>>,
  ): HookResponse {
    const configured = block && configuredRefusal(refusal, block, this.#request);
    return configured ?? refusalResponse(refusal, this.#accept, more);
  }

  #share(response: HookResponse, hook = this.#find().hook): HookResponse {
    return shared(response, this.#request, hook?.block);
  }

  /** Again where an edit has replaced the hooks since. */
  #find(): HookMatch {
    if (this.#match?.hooks !== this.#server.hooks) {
      const { method, headers } = this.#request;
      const requested = method === "OPTIONS" ? headers["access-control-request-method"] : undefined;
      this.#match = findHook(this.#server, this.#path, { method, requested });
    }
    return this.#match;
  }

  #incoming(body: Uint8Array): Incoming {
    const { method, headers, query, raw } = this.#request;
    const { settings, asksForCertificates } = this.#server;
    return {
      ...{ method, headers: decodedHeaders(headers), query, remoteIp: this.#client },
      bodyLimit: settings.body_limit,
      now: this.#server.now(),
      certificate: asksForCertificates ? certificateOf(raw.socket) : undefined,
      path: this.#find().candidates[0]?.parameters,
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

/** The rest of the body may follow; it is not read. */
const CLOSING = { headers: { connection: "close" } } as const;
