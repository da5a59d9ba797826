/** A record as one line of `access.log`, in the layout that Squid readers know, and as one line of its JSON twin. */
import type { AccessRecord } from "./entry.js";

/** `time client:port host dest:port version method status result url "agent"`; no newline at the end. */
export function accessLine(record: AccessRecord): string {
  const { timestamp, clientIp, clientPort, destIp, destPort, statusCode, decision } = record;
  const field = (text: string) => text.replace(/[^\x21-\x7e]/gu, percent) || "-";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  const agent = record.userAgent.replace(/[\x00-\x1f"\\\x7f]/g, percent);
  return `${timestamp.toFixed(3)} ${clientIp}:${clientPort} ${field(record.host)} ${destIp}:${destPort} ${field(record.protocol)} ${field(record.method)} ${statusCode} ${decision} ${field(record.url)} "${agent}"`;
}

function percent(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
}

/** The same and what decided, as one JSON object. */
export function jsonLine({ requester, ...record }: AccessRecord): string {
  return JSON.stringify({ ...record, ...requester });
}
