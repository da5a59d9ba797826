/** Tickets authorize a sender to poll its run: ids of runs can be guessed, tickets cannot. */
import { createHmac, randomBytes, timingSafeEqual } from "node:crypto";
import { link, readFile, unlink, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The run of a ticket, and the key of its hook's block. */
interface Bearer {
  readonly hook: string;
  readonly run: string;
}

/** Bytes. */
const KEY = 32;
const TICKET = 16;

export const TICKET_SHAPE = "[A-Za-z0-9_-]{22}";

export class Tickets {
  readonly #key: Uint8Array;

  constructor(key: Uint8Array) {
    this.#key = key;
  }

  /** With the key in `directory`, created on first use. @throws if the key can be neither read nor created */
  static async of(directory: string): Promise<Tickets> {
    const path = join(directory, "tickets.key");
    const key = (await readKey(path)) ?? (await makeKey(path));
    return new Tickets(key);
  }

  /** 22 URL-safe characters. */
  for(bearer: Bearer): string {
    return this.#digest(bearer).toString("base64url");
  }

  /** In constant time. */
  admits(bearer: Bearer, ticket: string): boolean {
    const given = Buffer.from(ticket, "base64url");
    return given.length === TICKET && timingSafeEqual(given, this.#digest(bearer));
  }

  #digest({ hook, run }: Bearer): Buffer {
    const digest = createHmac("sha256", this.#key).update(`${hook}\0${run}`).digest();
    return digest.subarray(0, TICKET);
  }
}

async function readKey(path: string): Promise<Uint8Array | undefined> {
  try {
    const key = await readFile(path);
    if (key.length === KEY) return key;
  } catch (thrown) {
    if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw thrown;
  }
  throw new Error(`The key ${path} is damaged; remove it to create another one.`);
}

/** Atomic; if another instance was faster, its key is used. */
async function makeKey(path: string): Promise<Uint8Array> {
  const draft = `${path}.${randomBytes(6).toString("hex")}`;
  try {
    await writeFile(draft, randomBytes(KEY), { mode: 0o600, flag: "wx" });
    await link(draft, path).catch((thrown: NodeJS.ErrnoException) => {
      if (thrown.code !== "EEXIST") throw thrown;
    });
  } finally {
    await unlink(draft).catch(() => undefined);
  }
  const key = await readKey(path);
  if (key) return key;
  throw new Error(`The key ${path} was removed while it was created.`);
}
