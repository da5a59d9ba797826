/** One HTTP request: timeouts, size limits, redirects, credentials, retries and the meaning of each status. */
import { UpdatesError } from "../errors.js";
import { bearerToken } from "./challenge.js";
import type { Credential, RegistryResponse } from "./contract.js";
import { credentialFor, shown } from "./credentials.js";
import type { Egress } from "./egress.js";
import type { HostThrottle, LookupClock } from "./host-throttle.js";
import { exchange, type Received } from "./transport.js";

export interface HttpOptions {
  readonly hosts: HostThrottle;
  readonly clock: LookupClock;
  readonly credentials: readonly Credential[];
  readonly egress: Egress;
  /** Milliseconds per attempt, body included. @default 10000 */
  readonly timeout?: number;
  /** Bytes of a decoded body. @default 64 MiB */
  readonly largest?: number;
  readonly signal?: AbortSignal;
}

export interface HttpQuestion {
  readonly url: string;
  readonly method: "GET" | "HEAD";
  readonly headers: Readonly<Record<string, string>>;
}

/** `unchanged`: the ETag still matches. */
export type HttpAnswer = RegistryResponse | "unchanged";

const ATTEMPTS = 3;
const FIRST_WAIT = 250;

/** @throws UpdatesError `lookup_failed`, `package_unknown`, `registry_refused` */
export async function askRegistry(
  question: HttpQuestion,
  options: HttpOptions,
): Promise<HttpAnswer> {
  const { host } = new URL(question.url);
  const started = options.clock.now();
  for (let attempt = 1; ; attempt += 1) {
    const outcome = await options.hosts.turn(
      host,
      () => attemptOnce(question, options),
      options.signal,
    );
    if (outcome.kind === "answered") return outcome.answer;
    const wait = outcome.retryAfter ?? FIRST_WAIT * 4 ** (attempt - 1);
    const worthIt = outcome.retryAfter === undefined || options.hosts.pause(host, wait);
    if (attempt < ATTEMPTS && worthIt) {
      await options.clock.sleep(wait, options.signal);
      continue;
    }
    if (outcome.silent) options.hosts.rest(host, outcome.why, started);
    throw new UpdatesError("lookup_failed", outcome.why, {
      retryAfter: wait,
      ...(outcome.cause === undefined ? {} : { cause: outcome.cause }),
    });
  }
}

type Outcome =
  | { readonly kind: "answered"; readonly answer: HttpAnswer }
  | {
      readonly kind: "later";
      readonly why: string;
      /** No response at all. */
      readonly silent: boolean;
      readonly retryAfter?: number;
      readonly cause?: unknown;
    };

async function attemptOnce(question: HttpQuestion, options: HttpOptions): Promise<Outcome> {
  const { url } = question;
  const { hosts, timeout = 10_000, largest = 64 * 1024 * 1024 } = options;
  const { host } = new URL(url);
  const limit = AbortSignal.timeout(timeout);
  const signal = options.signal ? AbortSignal.any([limit, options.signal]) : limit;
  const send = (authorization: string | undefined): Promise<Received> =>
    exchange({
      url,
      method: question.method,
      headers:
        authorization === undefined ? question.headers : { ...question.headers, authorization },
      signal,
      egress: options.egress,
      largest,
    });
  try {
    let received = await send(credentialFor(url, options.credentials)?.authorization);
    if (received.status === 401) {
      const challenge = received.header("www-authenticate") ?? "";
      const token = await bearerToken({ ...options, challenge, url, signal });
      if (token !== undefined) received = await send(`Bearer ${token}`);
    }
    hosts.answered(host);
    const later = retryFor(received, url, options.clock);
    if (later) return later;
    if (received.status === 304) return { kind: "answered", answer: "unchanged" };
    const { body, header } = received;
    return { kind: "answered", answer: { url: received.url, header, body } };
  } catch (cause) {
    if (cause instanceof UpdatesError) throw cause;
    options.signal?.throwIfAborted();
    const why = limit.aborted
      ? `${host} did not answer ${shown(url)} within ${timeout} ms.`
      : `${host} cannot be reached: ${reason(cause)}.`;
    return { kind: "later", why, silent: true, cause };
  }
}

/** @throws UpdatesError for a status that a retry cannot change */
function retryFor(received: Received, url: string, clock: LookupClock): Outcome | undefined {
  const { status } = received;
  if (status === 304 || (status >= 200 && status < 300)) return undefined;
  if (status === 404 || status === 410)
    throw new UpdatesError("package_unknown", `${shown(url)} does not exist.`);
  if (status === 401 || status === 403)
    throw new UpdatesError(
      "registry_refused",
      `${shown(url)} refuses access with ${status}. Configure a credential for it.`,
    );
  const why = `${shown(url)} answered ${status}.`;
  const pause = retryAfter(received, clock);
  if (status === 429 || status === 503)
    return {
      kind: "later",
      why,
      silent: false,
      ...(pause === undefined ? {} : { retryAfter: pause }),
    };
  if (status >= 500) return { kind: "later", why, silent: false };
  throw new UpdatesError("lookup_failed", why);
}

/** Parses seconds or a date. Returns milliseconds; `undefined` if the header is missing or invalid. */
function retryAfter({ header }: Received, clock: LookupClock): number | undefined {
  const said = header("retry-after");
  if (said === undefined) return undefined;
  const milliseconds = /^\d+$/.test(said) ? Number(said) * 1000 : Date.parse(said) - clock.now();
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : undefined;
}

function reason(thrown: unknown): string {
  const { code, message } = thrown as { code?: unknown; message?: unknown };
  return String(code ?? message);
}
