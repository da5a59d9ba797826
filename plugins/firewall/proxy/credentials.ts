/** Puts credentials into requests, so that the sandboxed command never has them. */
import type { IncomingHttpHeaders } from "node:http";
import type { RequestDestination } from "../policy/destination.js";

export interface InjectedCredential {
  /** Only requests to these get the value. */
  readonly destinations: readonly RequestDestination[];
  /** The headers that may hold the placeholder. Without a placeholder the header that each request gets. */
  readonly headers: readonly string[];
  /** What the command has in place of the value. */
  readonly placeholder?: string;
  readonly value: string;
}

/**
 * Headers that carry credentials. Others may be stored or shown by the host, and a command could read the value
 * there.
 */
export const credentialHeaders: readonly string[] = [
  "authorization",
  "x-api-key",
  "api-key",
  "apikey",
  "x-auth-token",
  "x-access-token",
  "x-goog-api-key",
  "x-vault-token",
  "private-token",
  "job-token",
  "deploy-token",
];

export class CredentialInjector {
  readonly #credentials = new Map<string, InjectedCredential[]>();

  constructor(credentials: readonly InjectedCredential[]) {
    for (const credential of credentials) {
      for (const destination of credential.destinations) {
        const key = keyOf(destination);
        this.#credentials.set(key, [...(this.#credentials.get(key) ?? []), credential]);
      }
    }
  }

  /** Whether requests to it may get a credential. */
  covers({ protocol, host, port }: Readonly<{ protocol: string; host: string; port: number }>) {
    return this.#credentials.size > 0 && this.#credentials.has(keyOf({ protocol, host, port }));
  }

  /** The headers for a destination: name, value, name, value. */
  inRawHeaders(destination: Parameters<typeof keyOf>[0], raw: readonly string[]): string[] {
    const own = this.#credentials.get(keyOf(destination)) ?? [];
    const headers: string[] = [];
    for (let index = 0; index < raw.length; index += 2) {
      const name = raw[index] ?? "";
      const value = inHeader(own, name.toLowerCase(), raw[index + 1] ?? "");
      if (value !== undefined) headers.push(name, value);
    }
    return [...headers, ...added(own).flat()];
  }

  /** The same for HTTP/2. */
  inFields(
    destination: Parameters<typeof keyOf>[0],
    fields: IncomingHttpHeaders,
  ): IncomingHttpHeaders {
    const own = this.#credentials.get(keyOf(destination));
    if (!own) return fields;
    const entries = Object.entries(fields).map(([name, value]) => [
      name,
      typeof value === "string" ? inHeader(own, name, value) : value,
    ]);
    const names = added(own).map(([name, value]) => [name.toLowerCase(), value]);
    return Object.fromEntries(
      [...entries, ...names].filter(([, value]) => value !== undefined),
    ) as IncomingHttpHeaders;
  }
}

function keyOf({
  protocol,
  host,
  port,
}: Readonly<{ protocol: string; host: string; port: number }>): string {
  return `${protocol}://${host}:${port}`;
}

function added(credentials: readonly InjectedCredential[]): Array<[name: string, value: string]> {
  return credentials.flatMap(({ headers, placeholder, value }) =>
    placeholder === undefined ? headers.map((name): [string, string] => [name, value]) : [],
  );
}

/** The value with credentials; undefined for a header that a credential replaces. */
function inHeader(
  credentials: readonly InjectedCredential[],
  name: string,
  written: string,
): string | undefined {
  let text = written;
  for (const { headers, placeholder, value } of credentials) {
    if (!headers.some((header) => header.toLowerCase() === name)) continue;
    if (placeholder === undefined) return undefined;
    text = text.replaceAll(placeholder, () => value);
    if (name === "authorization") text = inBasic(text, placeholder, value);
  }
  return text;
}

/** User and password of the `Basic` scheme are encoded. */
function inBasic(text: string, placeholder: string, value: string): string {
  const [, scheme, encoded] = /^(basic +)([\w+/=-]+) *$/i.exec(text) ?? [];
  if (encoded === undefined) return text;
  const plain = Buffer.from(encoded, "base64").toString("latin1");
  if (!plain.includes(placeholder)) return text;
  const replaced = plain.replaceAll(placeholder, () => value);
  return `${scheme}${Buffer.from(replaced, "latin1").toString("base64")}`;
}
