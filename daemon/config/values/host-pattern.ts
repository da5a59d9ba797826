/**
 * Host names and patterns such as `*.example.org`. A `*` stands for any run of letters, digits, `-` and `.`, so
 * `*.example.org` covers `a.b.example.org` but neither `example.org` nor `notexample.org`.
 */
import { isIP } from "node:net";
import { domainToASCII } from "node:url";

/** A pattern that is none, with the reason as the end of a sentence: "is empty". */
export interface HostPatternFault {
  readonly fault: string;
}

/** Lower case, A-labels, no trailing dot; or what is wrong. IP addresses are host names too. */
export function parseHostPattern(text: string): { readonly pattern: string } | HostPatternFault {
  if (text === "") return { fault: "is empty" };
  const bare = text.replace(/\.$/, "").toLowerCase();
  if (isIP(bare)) return { pattern: bare };
  if (/[/:@]/.test(bare))
    return { fault: "is more than a host name; leave out scheme, port and path" };
  const labels = bare.split(".").map(toAscii);
  const bad = labels.find((label) => !/^[a-z0-9_*](?:[a-z0-9_*-]{0,61}[a-z0-9_*])?$/.test(label));
  if (bad === "") return { fault: "has an empty label between two dots" };
  if (bad !== undefined) return { fault: `has a label that no host name can have: \`${bad}\`` };
  if (labels.every((label) => /^\*+$/.test(label))) return { fault: "covers every host there is" };
  const pattern = labels.join(".");
  if (pattern.length > 253) return { fault: "is longer than 253 characters" };
  return { pattern };
}

function toAscii(label: string): string {
  if (/^\p{ASCII}*$/u.test(label) || label.includes("*")) return label;
  return domainToASCII(label);
}

/** Whether a host name is covered. Both are compared in lower case, as A-labels, without a trailing dot. */
export function hostMatches(host: string, pattern: string): boolean {
  const name = normal(host);
  const pieces = normal(pattern).split(/\*+/);
  const first = pieces[0] ?? "";
  const last = pieces.at(-1) ?? "";
  if (pieces.length === 1) return name === first;
  if (name.length > 253 || !/^[a-z0-9_.-]+$/.test(name)) return false;
  if (!name.startsWith(first) || !name.endsWith(last)) return false;
  let at = first.length;
  for (const piece of pieces.slice(1, -1)) {
    const found = name.indexOf(piece, at);
    if (found === -1) return false;
    at = found + piece.length;
  }
  return at <= name.length - last.length;
}

function normal(name: string): string {
  return name.toLowerCase().replace(/\.$/, "").split(".").map(toAscii).join(".");
}
