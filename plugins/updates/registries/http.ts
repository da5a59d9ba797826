/** One question over HTTP: time limit, size limit, redirects, credentials, and what each status means. */
import { UpdatesError } from "../errors.js";
import { bearerToken } from "./challenge.js";
import type { Answer, Credential } from "./contract.js";
import { credentialFor, shown } from "./credentials.js";
import type { Clock, Hosts } from "./hosts.js";

export interface HttpOptions {
  readonly hosts: Hosts;
  readonly clock: Clock;
  readonly credentials: readonly Credential[];
  /** Milliseconds for one attempt, body included. @default 10000 */
  readonly timeout?: number;
  /** Bytes of a body, decoded. @default 64 MiB */
  readonly largest?: number;
  readonly signal?: AbortSignal;
}

export interface HttpQuestion {
  readonly url: string;
  readonly method: "GET" | "HEAD";
  readonly headers: Readonly<Record<string, string>>;
}

/** `unchanged`: what is known by its ETag is still so. */
export type HttpAnswer = Answer | "unchanged";

const LOOPBACK = /^https?:\/\/(127\.|localhost[:/]|\[::1\])/;
const ATTEMPTS = 3;
const FIRST_WAIT = 250;

/** @throws UpdatesError `lookup_failed`, `package_unknown`, `registry_refused` */
export async function ask(question: HttpQuestion, options: HttpOptions): Promise<HttpAnswer> {
  const { host } = new URL(question.url);
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
    if (outcome.silent) options.hosts.rest(host, outcome.why);
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
      /** It did not answer at all. */
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
  try {
    let response = await send(
      question,
      credentialFor(url, options.credentials)?.authorization,
      signal,
    );
    if (response.status === 401) {
      const token = await bearerToken(response, url, options.credentials, signal);
      if (token) {
        await response.body?.cancel();
        response = await send(question, `Bearer ${token}`, signal);
      }
    }
    hosts.answered(host);
    const later = await trouble(response, url, options.clock);
    if (later) return later;
    if (response.status === 304) return { kind: "answered", answer: "unchanged" };
    const body = await bodyOf(response, largest, url);
    return {
      kind: "answered",
      answer: { url: response.url || url, headers: response.headers, body },
    };
  } catch (cause) {
    if (cause instanceof UpdatesError) throw cause;
    options.signal?.throwIfAborted();
    const why = limit.aborted
      ? `${host} did not answer ${shown(url)} within ${timeout} ms.`
      : `${host} cannot be reached: ${reason(cause)}.`;
    return { kind: "later", why, silent: true, cause };
  }
}

const send = (
  { url, method, headers }: HttpQuestion,
  authorization: string | undefined,
  signal: AbortSignal,
): Promise<Response> =>
  fetch(url, {
    method,
    // `fetch` drops `authorization` when a redirect leads to another origin.
    headers: {
      ...headers,
      ...(authorization === undefined ? {} : { authorization }),
      // On this machine packing costs more than it saves.
      ...(LOOPBACK.test(url) ? { "accept-encoding": "identity" } : {}),
    },
    redirect: "follow",
    signal,
  });

/** @throws UpdatesError for statuses that trying again does not change */
async function trouble(
  response: Response,
  url: string,
  clock: Clock,
): Promise<Outcome | undefined> {
  const { status } = response;
  if (status === 304 || (status >= 200 && status < 300)) return undefined;
  await response.body?.cancel();
  if (status === 404 || status === 410)
    throw new UpdatesError("package_unknown", `${shown(url)} does not exist.`);
  if (status === 401 || status === 403)
    throw new UpdatesError(
      "registry_refused",
      `${shown(url)} is not for us: it answered ${status}. Give a credential for it.`,
    );
  const why = `${shown(url)} answered ${status}.`;
  const pause = retryAfter(response, clock);
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

/** Seconds or a date. Milliseconds; undefined where nothing sensible is said. */
function retryAfter({ headers }: Response, clock: Clock): number | undefined {
  const said = headers.get("retry-after");
  if (said === null) return undefined;
  const milliseconds = /^\d+$/.test(said) ? Number(said) * 1000 : Date.parse(said) - clock.now();
  return Number.isFinite(milliseconds) ? Math.max(0, milliseconds) : undefined;
}

async function bodyOf(response: Response, largest: number, url: string): Promise<Uint8Array> {
  if (!response.body) return new Uint8Array();
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of response.body as AsyncIterable<Uint8Array>) {
    size += chunk.byteLength;
    if (size > largest)
      throw new UpdatesError("registry_garbled", `${shown(url)} is larger than ${largest} bytes.`);
    chunks.push(chunk);
  }
  return chunks.length === 1 ? (chunks[0] as Uint8Array) : Buffer.concat(chunks, size);
}

function reason(thrown: unknown): string {
  const { cause } = thrown as { cause?: { code?: unknown; message?: unknown } };
  return String(cause?.code ?? cause?.message ?? (thrown as Error).message);
}
