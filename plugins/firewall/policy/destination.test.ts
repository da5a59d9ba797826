import test from "ava";
import { parseDestination } from "./destination.js";

const destinations: ReadonlyArray<
  readonly [text: string, protocol: "http" | "https", host: string, port: number]
> = [
  ["api.example.org", "https", "api.example.org", 443],
  ["https://api.example.org:8443", "https", "api.example.org", 8443],
  ["http://A.example:8080", "http", "a.example", 8080],
  ["http://a.example", "http", "a.example", 80],
  ["a.example:80", "http", "a.example", 80],
  ["a.example:443", "https", "a.example", 443],
  ["http://203.0.113.7", "http", "203.0.113.7", 80],
];
for (const [text, protocol, host, port] of destinations)
  test(`${text} is ${protocol} to ${host}:${port}`, (t) => {
    t.deepEqual(parseDestination(text), { protocol, host, port });
  });

const refused: ReadonlyArray<readonly [text: string, message: string]> = [
  ["*.example.org", "Invalid host '*.example.org': it must be one host"],
  ["203.0.113.7", "Invalid host '203.0.113.7': certificates are checked by name"],
];
for (const [text, message] of refused)
  test(`${text} is refused`, (t) => {
    t.throws(() => parseDestination(text), { message, code: "invalid_domain" });
  });
