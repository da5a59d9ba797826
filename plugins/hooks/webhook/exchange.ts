/** One request to the `webhook` command, with every row of the existing server's table of responses. */
import { STATUS_CODES, validateHeaderName, validateHeaderValue } from "node:http";
import { type FileResponse, fileResponse } from "../compat/answer.js";
import { decideFile, type FileDecision, refusedMethod, TEXTS } from "../compat/decide.js";
import { detectContentType } from "../compat/detect-type.js";
import type { FileHook, ParameterReference } from "../compat/hook.js";
import { canonicalName } from "../compat/request/fields.js";
import type { Exchange, HookResponse } from "../server/handler.js";
import type { BodyProblem } from "../server/receive-body.js";
import { hasBody } from "../server/receive-body.js";
import type { RequestView } from "../server/request-view.js";
import { bytes, elapsed, type RequestLog, type WebhookLog } from "./log.js";
import type { CommandRunner } from "./runner.js";
import type { HookTable } from "./table.js";
import { targetOf } from "./target.js";

export interface WebhookOptions {
  readonly table: HookTable;
  readonly log: WebhookLog;
  readonly runner: CommandRunner;
  readonly strict: boolean;
  /** Without slashes at its ends. */
  readonly prefix: string;
  /** For hooks that name none; empty for all. */
  readonly methods: readonly string[];
  /** Of the responses of hooks. */
  readonly headers: ReadonlyArray<readonly [string, string]>;
  /** Use the request's `X-Request-Id`, cut to so many bytes; 0 for all. */
  readonly requestIds: { readonly limit: number } | undefined;
}

const plain = (status: number, body = ""): FileResponse => ({ status, headers: [], body });

const BUSY: FileResponse = {
  ...plain(503, "Too many requests are waiting."),
  headers: [["retry-after", "10"]],
};

const BODY_PROBLEMS: Readonly<Record<BodyProblem, FileResponse>> = {
  too_large: plain(413, "The body is too large."),
  broken: plain(400, "unexpected EOF"),
};

const NAMED = new WeakSet<ParameterReference>();

export class WebhookExchange implements Exchange {
  readonly ignoresBody = false;
  readonly #request: RequestView;
  readonly #options: WebhookOptions;
  readonly #log: RequestLog;
  /** Set once the request may bring its body. */
  #hook: FileHook | undefined;
  #query = "";

  constructor(request: RequestView, options: WebhookOptions) {
    this.#request = request;
    this.#options = options;
    this.#log = options.log.request(request, options.requestIds);
  }

  begin(): HookResponse | undefined {
    // With `-debug` the whole request precedes every other line.
    if (this.#log.debug) return undefined;
    return this.#early();
  }

  respond(body: Uint8Array): HookResponse | Promise<HookResponse> {
    if (this.#log.debug) {
      if (this.#isServed) this.#log.dump(">", () => dumpedRequest(this.#request, body));
      const early = this.#early();
      if (early) return early;
    }
    const hook = this.#hook as FileHook;
    const { method, raw } = this.#request;
    const decision = decideFile(
      hook,
      { method, query: this.#query, rawHeaders: raw.rawHeaders, remoteAddress: this.#from, body },
      this.#context,
    );
    return decision.kind === "refuse"
      ? this.#rendered(this.#refusal(decision, this.#options.headers))
      : this.#run(hook, decision);
  }

  reject(problem: BodyProblem): HookResponse {
    const response = BODY_PROBLEMS[problem];
    this.#log.say(`error reading the request body: ${response.body}`);
    return this.#rendered(response);
  }

  fail(thrown: unknown): HookResponse {
    this.#log.complain(`error: ${thrown instanceof Error ? thrown.message : String(thrown)}`);
    return this.#rendered(plain(500));
  }

  /** Whether the path is one of the server's. */
  get #isServed(): boolean {
    const { kind } = targetOf(this.#request.url, this.#options.prefix).target;
    return kind === "root" || kind === "hook";
  }

  #early(): HookResponse | undefined {
    const response = this.#beforeBody();
    return response && this.#rendered(response);
  }

  #beforeBody(): FileResponse | undefined {
    const { table, headers, prefix } = this.#options;
    const { method, url } = this.#request;
    const { target, query } = targetOf(url, prefix);
    switch (target.kind) {
      case "root":
        return { status: 200, headers, body: "OK" };
      case "bad":
        return plain(400, "400 Bad Request");
      case "moved":
        return { ...plain(301), headers: [["location", target.to]] };
      case "elsewhere": {
        const nosniff = [["x-content-type-options", "nosniff"]] as const;
        return { status: 404, headers: nosniff, body: "404 page not found\n" };
      }
    }
    if (this.#log.verbose) this.#log.say(`incoming HTTP ${method} request from ${this.#from}`);
    const hook = table.find(target.id);
    if (!hook) return plain(404, TEXTS.unknown);
    const refused = refusedMethod(hook, method, this.#context);
    if (refused) return this.#refusal(refused);
    this.#log.say(`${hook.id} got matched`);
    this.#hook = hook;
    this.#query = query;
    return undefined;
  }

  #run(
    hook: FileHook,
    { command }: Extract<FileDecision, { kind: "run" }>,
  ): HookResponse | Promise<HookResponse> {
    const { runner } = this.#options;
    const log = this.#log;
    if (hook.includeOutput) {
      const running = runner.start(hook, command, log);
      if (!running) return this.#rendered(BUSY);
      return running.then((result) =>
        this.#rendered(this.#withHeaders(fileResponse(hook, result, log.say))),
      );
    }
    if (runner.isFull) return this.#rendered(BUSY);
    // The command starts once the response is sent.
    return this.#rendered(this.#withHeaders(fileResponse(hook, undefined, log.say)), () => {
      runner.start(hook, command, log)?.catch((thrown: unknown) => log.complain(String(thrown)));
    });
  }

  #refusal(decision: FileDecision, headers: WebhookOptions["headers"] = []): FileResponse {
    if (decision.kind === "run") return plain(500);
    const own = Object.entries(decision.headers ?? {});
    return { status: decision.status, headers: [...headers, ...own], body: decision.message };
  }

  #withHeaders(response: FileResponse): FileResponse {
    return { ...response, headers: [...this.#options.headers, ...response.headers] };
  }

  #rendered({ status, headers, body }: FileResponse, after?: () => void): HookResponse {
    const isBodiless = status === 204 || status === 304;
    // An unread body would be taken for the next request.
    const isUnread = hasBody(this.#request) && !this.#request.raw.complete;
    const sent = sendable(isUnread ? [...headers, ["connection", "close"]] : headers);
    if (!isBodiless && body.length > 0 && !hasContentType(sent)) {
      sent["content-type"] = detectContentType(body);
    }
    const onSent = (): void => {
      if (this.#log.verbose && this.#isServed) {
        this.#logResponse({ status, headers, body: isBodiless ? "" : body });
      }
      after?.();
    };
    return { status, headers: sent, body, onSent };
  }

  #logResponse({ status, headers, body }: FileResponse): void {
    const { method, url, startedAt, headers: received } = this.#request;
    this.#log.dump("<", () => {
      const given = [this.#hook?.successStatus, this.#hook?.mismatchStatus].includes(status);
      // A status that nothing sets is 0 to the existing server.
      const first = status === 200 && !given ? " 0 " : ` ${status} ${STATUS_CODES[status] ?? ""}`;
      const lines = headers.map(([name, value]) => ` ${canonicalName(name)}: ${value}`).sort();
      return [first, ...lines, ...(body.length === 0 ? [] : ["", ...linesOf(body)])];
    });
    const took = elapsed(performance.now() - startedAt);
    const size = bytes(Buffer.byteLength(body));
    this.#log.say(`${status} | ${size} | ${took} | ${received.host ?? ""} | ${method} ${url}`);
  }

  get #context() {
    const { strict, methods } = this.#options;
    return { strict, methods, now: Date.now(), note: this.#log.say, named: NAMED };
  }

  /** In the form of the existing server: `192.0.2.7:4711`, `@` on a unix socket. */
  get #from(): string {
    const { remoteAddress, remotePort } = this.#request.raw.socket;
    if (remoteAddress === undefined) return "@";
    const host = remoteAddress.replace(/^::ffff:(?=\d+\.)/i, "");
    return host.includes(":") ? `[${host}]:${remotePort}` : `${host}:${remotePort}`;
  }
}

/** The form of Go's `DumpRequest`. */
function dumpedRequest({ method, url, raw }: RequestView, body: Uint8Array): readonly string[] {
  const named = raw.rawHeaders.flatMap((name, at) =>
    at % 2 === 0 ? [[canonicalName(name), raw.rawHeaders[at + 1] ?? ""] as const] : [],
  );
  const [hosts, others] = [true, false].map((isHost) =>
    named.filter(([name]) => (name === "Host") === isHost).map((header) => ` ${header.join(": ")}`),
  );
  const head = ` ${method} ${url} HTTP/${raw.httpVersion}`;
  return [head, ...(hosts ?? []), ...(others ?? []).sort(), " ", ...linesOf(body)];
}

function linesOf(body: string | Uint8Array): readonly string[] {
  const text = Buffer.from(body)
    .toString("utf8")
    .replace(/\r?\n$/, "");
  return body.length === 0 ? [] : text.split(/\r?\n/).map((line) => ` ${line}`);
}

/** The last of several values of a name, whatever its case; a header that HTTP does not allow is left out. */
function sendable(headers: FileResponse["headers"]): Record<string, string> {
  if (headers.length === 0) return {};
  const sent = new Map<string, readonly [string, string]>();
  for (const [name, value] of headers) {
    try {
      validateHeaderName(name);
      validateHeaderValue(name, value);
      sent.set(name.toLowerCase(), [name, value]);
    } catch {
      // Left out.
    }
  }
  return Object.fromEntries(sent.values());
}

const hasContentType = (headers: Readonly<Record<string, string>>): boolean =>
  Object.keys(headers).some((name) => name.toLowerCase() === "content-type");
