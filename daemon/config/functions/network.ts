/** Functions on host names and addresses. Nothing here resolves a name. */
import { BlockList, isIP } from "node:net";
import { BOOLEAN, listOf, STRING } from "../types/type.js";
import { EvaluationError } from "../values/evaluation-error.js";
import { hostMatches, parseHostPattern } from "../values/host-pattern.js";
import { quoteString } from "../values/render.js";
import { isList } from "../values/value.js";
import type { FunctionSignature } from "./signature.js";

export const networkFunctions: readonly FunctionSignature[] = [
  {
    name: "host_matches",
    doc: "Whether a host name is covered by a pattern. `*` stands for any run of letters, digits, `-` and `.`.",
    parameters: [
      { name: "host", type: STRING },
      { name: "pattern", type: STRING },
    ],
    returns: BOOLEAN,
    examples: [
      ['host_matches("a.example.org", "*.example.org")', "true"],
      ['host_matches("example.org", "*.example.org")', "false"],
    ],
    apply: (host: string, pattern: string) => {
      const parsed = parseHostPattern(pattern);
      if ("fault" in parsed)
        throw new EvaluationError(`the host pattern ${quoteString(pattern)} ${parsed.fault}`);
      return hostMatches(host, parsed.pattern);
    },
  },
  {
    name: "cidr_contains",
    doc: "Whether an IPv4 or IPv6 address is in a network, or in one of several.",
    parameters: [
      { name: "cidr", type: { kind: "union", of: [STRING, listOf(STRING)] } },
      { name: "ip", type: STRING },
    ],
    returns: BOOLEAN,
    examples: [
      ['cidr_contains("10.0.0.0/8", "10.1.2.3")', "true"],
      ['cidr_contains(["192.0.2.0/24", "2001:db8::/32"], "2001:db8::7")', "true"],
    ],
    apply: (cidr: string | readonly string[], ip: string) => {
      const family = isIP(ip);
      if (family === 0) throw new EvaluationError(`${quoteString(ip)} is not an IP address`);
      const networks = isList(cidr) ? cidr : [cidr];
      return networks.some((each) => networkOf(each).check(ip, family === 4 ? "ipv4" : "ipv6"));
    },
  },
];

const networks = new Map<string, BlockList>();
const KEPT = 1_000;

/** A network by its text; an address without `/length` is a network of one. */
function networkOf(cidr: string): BlockList {
  const known = networks.get(cidr);
  if (known) return known;
  const [address = "", length] = cidr.split("/");
  const family = isIP(address);
  const bits = family === 4 ? 32 : 128;
  const prefix = length === undefined ? bits : Number(length);
  if (family === 0 || !/^\d{1,3}$/.test(length ?? "0") || prefix > bits) {
    throw new EvaluationError(
      `${quoteString(cidr)} is not a network; write \`10.0.0.0/8\` or \`2001:db8::/32\``,
    );
  }
  const network = new BlockList();
  network.addSubnet(address, prefix, family === 4 ? "ipv4" : "ipv6");
  networks.set(cidr, network);
  if (networks.size > KEPT) networks.delete(networks.keys().next().value as string);
  return network;
}
