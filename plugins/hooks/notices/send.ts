/** One request of a notification. */
import type { Secret } from "reeve/plugin";
import { isAddress } from "../blocks/notify.js";

/** Milliseconds. */
const PATIENCE = 10_000;

export interface OutgoingMessage {
  readonly url: string | Secret;
  /** Added to the path of `url`. */
  readonly path?: string;
  readonly query?: Readonly<Record<string, string>>;
  readonly headers?: Readonly<Record<string, string | Secret>>;
  readonly body?: string;
}

/** @throws Error with the reason, without the address: it is often secret */
export async function send(message: OutgoingMessage, signal: AbortSignal): Promise<void> {
  const address = revealed(message.url);
  if (!isAddress(address)) throw new Error("the address is not an HTTP address");
  const url = new URL(address);
  if (message.path !== undefined) url.pathname = url.pathname.replace(/\/$/, "") + message.path;
  for (const [name, value] of Object.entries(message.query ?? {}))
    url.searchParams.set(name, value);
  const headers = Object.entries(message.headers ?? {}).map(
    ([name, value]) => [name, revealed(value)] as [string, string],
  );
  let response: Response;
  try {
    response = await fetch(url, {
      method: "POST",
      redirect: "manual",
      headers,
      body: message.body ?? "",
      signal: AbortSignal.any([signal, AbortSignal.timeout(PATIENCE)]),
    });
  } catch (thrown) {
    const { name, cause } = thrown as Error;
    const { code } = (cause ?? {}) as { readonly code?: string };
    throw new Error(
      name === "TimeoutError" ? "no response in 10 s" : `no response: ${code ?? name}`,
    );
  }
  await response.body?.cancel();
  if (!response.ok) throw new Error(`the response has the status ${response.status}`);
}

const revealed = (value: string | Secret): string =>
  typeof value === "string" ? value : value.reveal();
