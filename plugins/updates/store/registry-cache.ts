/**
 * Cached responses of registries: recent ones in memory, those with an ETag also on disk, so that a restart revalidates them and
 * does not fetch everything again.
 */
import type { Kysely } from "kysely";
import type { CachedAnswer, LookupCache } from "../registries/contract.js";
import type { Tables } from "./tables.js";

const mostAtHand = 4_000;
/** Milliseconds during which responses are collected into one write. */
const gathering = 250;
/** Milliseconds after which an unchanged response is fetched again. */
const longest = 180 * 24 * 60 * 60 * 1000;
/** The maximum size of a stored response, in characters. */
const largest = 1_000_000;

export class RegistryCache implements LookupCache {
  readonly #database: Kysely<Tables>;
  readonly #now: () => number;
  readonly #atHand = new Map<string, CachedAnswer>();
  readonly #unwritten = new Map<string, CachedAnswer>();
  #timer: NodeJS.Timeout | undefined;

  constructor(database: Kysely<Tables>, now: () => number) {
    this.#database = database;
    this.#now = now;
  }

  read(key: string): CachedAnswer | undefined | Promise<CachedAnswer | undefined> {
    const known = this.#atHand.get(key);
    if (!known) return this.#find(key);
    this.#atHand.delete(key);
    this.#atHand.set(key, known);
    return known;
  }

  write(key: string, answer: CachedAnswer): void {
    const before = this.#atHand.get(key);
    this.#keep(key, answer);
    const { etag, lastModified } = answer;
    if (etag === undefined && lastModified === undefined) return;
    // An unchanged response is already stored.
    if (before && before.digest === answer.digest) return;
    this.#unwritten.set(key, answer);
    this.#timer ??= setTimeout(() => void this.flush(), gathering).unref();
  }

  /** Resolves when everything is written. Never rejects. */
  async flush(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const now = this.#now();
    const rows = [...this.#unwritten].flatMap(([key, { etag, lastModified, digest }]) => {
      const text = JSON.stringify(digest);
      if (text === undefined || text.length > largest) return [];
      const validators = { etag: etag ?? null, last_modified: lastModified ?? null };
      return [{ key, ...validators, digest: text, kept_at: now }];
    });
    this.#unwritten.clear();
    const written = this.#database.transaction().execute(async (transaction) => {
      for (const { key, ...row } of rows) {
        await transaction
          .insertInto("answers")
          .values({ key, ...row })
          .onConflict((conflict) => conflict.column("key").doUpdateSet(row))
          .execute();
      }
    });
    await written.catch(() => undefined);
  }

  /** Deletes very old responses. */
  async tidy(): Promise<void> {
    await this.#database
      .deleteFrom("answers")
      .where("kept_at", "<", this.#now() - longest)
      .execute();
  }

  /** Age 0 forces revalidation. */
  async #find(key: string): Promise<CachedAnswer | undefined> {
    const row = await this.#database
      .selectFrom("answers")
      .selectAll()
      .where("key", "=", key)
      .executeTakeFirst();
    if (!row) return undefined;
    const { etag, last_modified: lastModified } = row;
    const answer: CachedAnswer = {
      checked: 0,
      digest: JSON.parse(row.digest),
      ...(etag === null ? {} : { etag }),
      ...(lastModified === null ? {} : { lastModified }),
    };
    const sooner = this.#atHand.get(key);
    if (sooner) return sooner;
    this.#keep(key, answer);
    return answer;
  }

  #keep(key: string, answer: CachedAnswer): void {
    this.#atHand.delete(key);
    this.#atHand.set(key, answer);
    const [oldest] = this.#atHand.keys();
    if (oldest !== undefined && this.#atHand.size > mostAtHand) this.#atHand.delete(oldest);
  }
}
