/**
 * The shared lookup. Responses are cached with their ETags, failures for a while, and concurrent requests for the same data
 * share one response.
 */
import { UpdatesError } from "../errors.js";
import type {
  CachedAnswer,
  Credential,
  GitReference,
  KeptLookup,
  Lookup,
  LookupCache,
  RegistryRequest,
} from "./contract.js";
import { shown } from "./credentials.js";
import { Egress } from "./egress.js";
import { type ListReferences, smartReferences } from "./git-references.js";
import { type HostLimits, HostThrottle, type LookupClock } from "./host-throttle.js";
import { askRegistry } from "./http.js";

export interface LookupOptions extends HostLimits {
  readonly clock: LookupClock;
  readonly credentials?: readonly Credential[];
  /** @default no address of this host or of private networks */
  readonly egress?: Egress;
  /** @default responses are kept in memory */
  readonly cache?: LookupCache;
  /** Milliseconds during which a response counts as fresh. @default 60000 */
  readonly freshFor?: number;
  /** Milliseconds during which "not found" and "refused" are cached. @default 300000 */
  readonly negativeFor?: number;
  /** Milliseconds per attempt. @default 10000 */
  readonly timeout?: number;
  /** Lists references of git repositories without HTTP. @default they are refused */
  readonly listReferences?: ListReferences;
  readonly signal?: AbortSignal;
}

interface UnderWay {
  readonly started: number;
  readonly answer: Promise<CachedAnswer>;
}

export function createLookup(options: LookupOptions): KeptLookup {
  return new SharedLookup(options);
}

class SharedLookup {
  readonly #options: LookupOptions;
  readonly #hosts: HostThrottle;
  readonly #egress: Egress;
  readonly #cache: LookupCache;
  readonly #refusals = new Map<string, { readonly until: number; readonly error: UpdatesError }>();
  readonly #underWay = new Map<string, UnderWay>();

  constructor(options: LookupOptions) {
    this.#options = options;
    this.#egress = options.egress ?? new Egress();
    this.#hosts = new HostThrottle(options.clock, options);
    this.#cache = options.cache ?? memoryCache();
  }

  fetch<Digest>(question: RegistryRequest<Digest>): Promise<Digest> {
    return this.#know(question, undefined);
  }

  references(url: string): Promise<readonly GitReference[]> {
    return this.#references(url, undefined);
  }

  fresh(since = this.#options.clock.now()): Lookup {
    return {
      fetch: (question) => this.#know(question, since),
      references: (url) => this.#references(url, since),
      fresh: () => this.fresh(),
    };
  }

  known(): Lookup {
    return {
      fetch: (question) => this.#remember(keyOf(question)),
      references: (url) =>
        this.#remember(/^https?:/i.test(url) ? keyOf(smartReferences(url)) : `references ${url}`),
      fresh: () => this.fresh(),
    };
  }

  async #remember<Digest>(key: string): Promise<Digest> {
    const known = await this.#cache.read(key);
    if (known) return known.digest as Digest;
    throw new UpdatesError("lookup_failed", "The cache has no response.");
  }

  #references(url: string, since: number | undefined): Promise<readonly GitReference[]> {
    if (/^https?:/i.test(url)) return this.#know(smartReferences(url), since);
    const { listReferences, clock } = this.#options;
    if (!listReferences)
      throw new UpdatesError("lookup_failed", `${shown(url)} is not supported: use http or https.`);
    const answer = async (): Promise<CachedAnswer> => ({
      checked: clock.now(),
      digest: await listReferences(url),
    });
    return this.#once(`references ${url}`, since, answer) as Promise<readonly GitReference[]>;
  }

  async #know<Digest>(
    question: RegistryRequest<Digest>,
    since: number | undefined,
  ): Promise<Digest> {
    return (await this.#once(keyOf(question), since, (known) =>
      this.#ask(question, known),
    )) as Digest;
  }

  /** `since`: the oldest acceptable check. */
  async #once(
    key: string,
    since: number | undefined,
    answer: (known: CachedAnswer | undefined) => Promise<CachedAnswer>,
  ): Promise<unknown> {
    const { clock, freshFor = 60_000, negativeFor = 300_000 } = this.#options;
    const now = clock.now();
    const newEnough = since ?? now - freshFor + 1;
    const known = await this.#cache.read(key);
    if (known && known.checked >= newEnough) return known.digest;
    const refusal = this.#refusals.get(key);
    if (refusal && since === undefined && refusal.until > now) throw refusal.error;

    const running = this.#underWay.get(key);
    if (running && (since === undefined || running.started >= since))
      return (await running.answer).digest;
    const mine: UnderWay = { started: now, answer: answer(known) };
    this.#underWay.set(key, mine);
    try {
      const answered = await mine.answer;
      this.#refusals.delete(key);
      this.#cache.write(key, answered);
      return answered.digest;
    } catch (error) {
      if (error instanceof UpdatesError && lasting.has(error.code))
        this.#refusals.set(key, { until: clock.now() + negativeFor, error });
      throw error;
    } finally {
      if (this.#underWay.get(key) === mine) this.#underWay.delete(key);
    }
  }

  async #ask<Digest>(
    question: RegistryRequest<Digest>,
    known: CachedAnswer | undefined,
  ): Promise<CachedAnswer> {
    const { clock, credentials = [], timeout, signal } = this.#options;
    const egress = this.#egress;
    const { url, method = "GET", accept = "*/*" } = question;
    const checked = clock.now();
    const answer = await askRegistry(
      { url, method, headers: { accept, ...conditions(known) } },
      {
        hosts: this.#hosts,
        clock,
        credentials,
        egress,
        ...(timeout === undefined ? {} : { timeout }),
        ...(signal === undefined ? {} : { signal }),
      },
    );
    if (answer === "unchanged") {
      if (known) return { ...known, checked };
      throw new UpdatesError(
        "registry_garbled",
        `${shown(url)} says that nothing changed, which was not asked.`,
      );
    }
    const etag = answer.header("etag");
    const lastModified = answer.header("last-modified");
    return {
      checked,
      digest: await sensible(question, answer),
      ...(etag === undefined ? {} : { etag }),
      ...(lastModified === undefined ? {} : { lastModified }),
    };
  }
}

/** Failures that a quick retry cannot change. */
const lasting: ReadonlySet<string> = new Set([
  "package_unknown",
  "registry_refused",
  "registry_garbled",
]);

async function sensible<Digest>(
  { digest, url }: RegistryRequest<Digest>,
  answer: Parameters<RegistryRequest<Digest>["digest"]>[0],
): Promise<Digest> {
  try {
    return await digest(answer);
  } catch (cause) {
    // A response is no manifest of the repository.
    if (cause instanceof UpdatesError && cause.code !== "manifest_unreadable") throw cause;
    throw new UpdatesError("registry_garbled", `The response of ${shown(url)} is invalid.`, {
      cause,
    });
  }
}

const keyOf = <Digest>({
  method = "GET",
  url,
  accept = "*/*",
  purpose,
}: RegistryRequest<Digest>): string => [purpose, method, accept, url].join(" ");

function conditions(known: CachedAnswer | undefined): Readonly<Record<string, string>> {
  if (known?.etag !== undefined) return { "if-none-match": known.etag };
  if (known?.lastModified !== undefined) return { "if-modified-since": known.lastModified };
  return {};
}

function memoryCache(): LookupCache {
  const answers = new Map<string, CachedAnswer>();
  return { read: (key) => answers.get(key), write: (key, answer) => answers.set(key, answer) };
}
