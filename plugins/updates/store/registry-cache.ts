/**
 * Answers of registries that are kept: the ones asked for lately at hand, all that have an ETag on the disk, too, so that a start
 * asks "anything new?" and not for everything again. A cache: what cannot be kept is asked for again.
 */
import type { Kysely } from "kysely";
import type { CachedAnswer, LookupCache } from "../registries/contract.js";
import type { Tables } from "./tables.js";

const mostAtHand = 4_000;
/** Milliseconds in which answers are gathered for one write. */
const gathering = 250;
/** Milliseconds after which an answer that never changed is asked for again as a whole. */
const longest = 180 * 24 * 60 * 60 * 1000;
/** Characters of an answer that is worth keeping. */
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
    // What is the same as before is on its way to the disk already.
    if (before && before.digest === answer.digest) return;
    this.#unwritten.set(key, answer);
    this.#timer ??= setTimeout(() => void this.flush(), gathering).unref();
  }

  /** Resolves when nothing waits to be written. Never rejects. */
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

  /** Forgets what is very old. */
  async tidy(): Promise<void> {
    await this.#database
      .deleteFrom("answers")
      .where("kept_at", "<", this.#now() - longest)
      .execute();
  }

  /** Its age is not told: whoever is asked says whether it still holds. */
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
