import test from "ava";
import { isInternal, parseIpAddress } from "./address.js";
import { parseDomainPattern } from "./pattern.js";
import type { Protocol } from "./pattern-list.js";
import { Policy } from "./policy.js";

const policy = Policy.parse({
  allow: [
    "example.com",
    "*.wild.test",
    "http://plain.test",
    "https://secure.test",
    "203.0.113.7",
    "10.1.2.3",
  ],
  block: ["ads.example.com", "http://both.example.com", "*.bad.example.com", "203.0.113.9"],
});

const decisions: ReadonlyArray<
  readonly [host: string, port: number, protocol: Protocol, rule: string]
> = [
  ["example.com", 443, "https", "allow-both-plain"],
  ["EXAMPLE.com.", 80, "http", "allow-both-plain"],
  ["deep.down.example.com", 443, "https", "allow-both-plain"],
  ["a.wild.test", 443, "https", "allow-both-regex"],
  ["plain.test", 80, "http", "allow-http-only-plain"],
  ["plain.test", 443, "https", "deny-default"],
  ["secure.test", 443, "https", "allow-https-only-plain"],
  ["secure.test", 80, "http", "deny-default"],
  ["ads.example.com", 443, "https", "deny-blocked-plain"],
  ["x.ads.example.com", 80, "http", "deny-blocked-plain"],
  ["both.example.com", 443, "https", "deny-blocked-plain"],
  ["x.bad.example.com", 443, "https", "deny-blocked-regex"],
  ["other.test", 443, "https", "deny-default"],
  ["example.com", 22, "https", "deny-connect-unsafe-ports"],
  ["example.com", 8080, "http", "deny-unsafe-ports"],
  ["example.com", 80, "https", "deny-connect-unsafe-ports"],
  ["203.0.113.7", 443, "https", "allow-both-address"],
  ["3405803783", 443, "https", "allow-both-address"],
  ["203.0.113.8", 443, "https", "deny-raw-ipv4"],
  ["0x7f.1", 80, "http", "deny-raw-ipv4"],
  ["[2001:db8::1]", 443, "https", "deny-raw-ipv6"],
  ["::ffff:203.0.113.9", 443, "https", "deny-blocked-address"],
  ["exa mple.com", 443, "https", "deny-malformed-name"],
  ["", 443, "https", "deny-malformed-name"],
];
for (const [host, port, protocol, rule] of decisions) {
  test(`${protocol} to ${JSON.stringify(host)}:${port} is decided by ${rule}`, (t) => {
    const verdict = policy.decide({ host, port, protocol });
    t.deepEqual([verdict.rule, verdict.allowed], [rule, rule.startsWith("allow")]);
    t.is(verdict.reason === "", verdict.allowed);
  });
}

test("an allowed name may resolve to public and listed addresses, not to internal ones", (t) => {
  const inside = [
    "127.0.0.1",
    "10.0.0.1",
    "192.168.1.1",
    "172.16.0.1",
    "169.254.169.254",
    "100.64.0.1",
    "0.0.0.0",
    "::1",
    "fd00::1",
    "fe80::1",
    "::ffff:127.0.0.1",
    "224.0.0.1",
    "64:ff9b::7f00:1",
  ];
  for (const address of inside)
    t.is(policy.decideResolved(address, "https").rule, "deny-internal-address", address);
  t.true(policy.decideResolved("93.184.216.34", "https").allowed);
  t.true(policy.decideResolved("2606:2800:220:1::1", "https").allowed);
  t.true(policy.decideResolved("10.1.2.3", "https").allowed);
  t.is(policy.decideResolved("203.0.113.9", "https").rule, "deny-blocked-address");
});

test("a name can be looked up if it can be reached by either protocol", (t) => {
  const hosts = [
    "plain.test",
    "secure.test",
    "x.example.com",
    "ads.example.com",
    "other.test",
    "203.0.113.7",
  ];
  t.deepEqual(
    hosts.map((name) => policy.decideLookup(name).allowed),
    [true, true, true, false, false, false],
  );
});

const withPorts = Policy.parse({
  allow: [
    "example.com",
    "db.example.com:5432",
    "git@example.com:22",
    "https://example.com:8443",
    "http://example.com:8080",
    "only.test:443",
    "203.0.113.7:5432",
    "10.1.2.3:5432",
  ],
  block: ["closed.example.com", "part.example.com:22"],
});
const portDecisions: ReadonlyArray<readonly [host: string, port: number, rule: string]> = [
  ["db.example.com", 5432, "tcp allow-port-plain"],
  ["x.db.example.com", 5432, "tcp allow-port-plain"],
  ["example.com", 5432, "tcp deny-port"],
  ["example.com", 22, "tcp allow-port-plain"],
  ["other.test", 22, "tcp deny-port"],
  ["part.example.com", 22, "tcp deny-blocked-plain"],
  ["closed.example.com", 22, "tcp deny-blocked-plain"],
  ["example.com", 8443, "https allow-https-only-plain"],
  ["example.com", 8080, "http allow-http-only-plain"],
  ["203.0.113.7", 5432, "tcp allow-port-address"],
  ["203.0.113.8", 5432, "tcp deny-raw-ipv4"],
  ["example.com", 25, "tcp deny-connect-unsafe-ports"],
];
for (const [host, port, rule] of portDecisions) {
  test(`port ${port} of ${host} is decided as ${rule}`, (t) => {
    const verdict = withPorts.decidePort(host, port);
    t.is(`${verdict.protocol} ${verdict.rule}`, rule);
  });
}

test("an entry with a port neither opens nor closes 80 and 443", (t) => {
  const rule = (host: string, port: 80 | 443) =>
    withPorts.decide({ host, port, protocol: port === 80 ? "http" : "https" }).rule;
  t.is(rule("db.example.com", 443), "allow-both-plain");
  t.is(rule("part.example.com", 443), "allow-both-plain");
  t.is(rule("only.test", 443), "allow-port-plain");
  t.is(rule("only.test", 80), "deny-default");
  t.is(rule("203.0.113.7", 443), "deny-raw-ipv4");
  t.true(withPorts.decideLookup("part.example.com").allowed);
  t.false(withPorts.decideLookup("closed.example.com").allowed);
});

test("a name may resolve to an internal address on the ports that the list has for it", (t) => {
  t.true(withPorts.decideResolved("10.1.2.3", "tcp", 5432).allowed);
  t.is(withPorts.decideResolved("10.1.2.3", "https", 443).rule, "deny-internal-address");
  t.is(withPorts.decideResolved("10.1.2.3", "tcp", 22).rule, "deny-internal-address");
});

test("learning opens no port that the list does not have for the name", (t) => {
  const learning = new Policy(withPorts.allow.patterns, [], [], { learning: true });
  t.is(learning.decidePort("other.test", 5432).rule, "deny-port");
});

test("learning allows what is not blocked", (t) => {
  const learning = new Policy([], policy.block.patterns, [], { learning: true });
  t.is(learning.decide({ host: "any.test", port: 443, protocol: "https" }).rule, "allow-learning");
  t.false(learning.decide({ host: "ads.example.com", port: 443, protocol: "https" }).allowed);
  t.false(learning.decide({ host: "8.8.8.8", port: 443, protocol: "https" }).allowed);
});

test("what a user allowed when asked is allowed on the usual ports, until the block list has it", (t) => {
  const answered = parseDomainPattern("asked.test");
  const block = [parseDomainPattern("ads.asked.test", "block")];
  const withAnswer = new Policy([], block, [], { answered: [answered] });
  const verdict = { allowed: true, rule: "allow-asked-run", reason: "", pattern: "asked.test" };
  t.deepEqual(withAnswer.decide({ host: "x.asked.test", port: 443, protocol: "https" }), verdict);
  t.deepEqual(withAnswer.decideLookup("asked.test"), verdict);
  t.is(
    withAnswer.decide({ host: "other.test", port: 443, protocol: "https" }).rule,
    "deny-default",
  );
  t.is(withAnswer.decideLookup("ads.asked.test").rule, "deny-blocked-plain");
  t.is(withAnswer.decidePort("asked.test", 22).rule, "deny-connect-unsafe-ports");
});

test("the host of a URL pattern may be reached by https and looked up", (t) => {
  const urls = Policy.parse({ allow: [], block: ["no.test"], urls: ["https://a.test/x/*"] });
  t.deepEqual(urls.decide({ host: "a.test", port: 443, protocol: "https" }), {
    allowed: true,
    rule: "allow-url-host",
    reason: "",
  });
  t.is(urls.decide({ host: "a.test", port: 80, protocol: "http" }).rule, "deny-default");
  t.is(urls.decide({ host: "b.test", port: 443, protocol: "https" }).rule, "deny-default");
  t.is(urls.decideLookup("a.test").rule, "allow-url-host");
  t.is(urls.decideLookup("b.test").rule, "deny-default");
});

test("learning looks up what is not blocked; an address is no name to look up", (t) => {
  const learning = new Policy([], policy.block.patterns, [], { learning: true });
  t.is(learning.decideLookup("any.test").rule, "allow-learning");
  t.is(learning.decideLookup("ads.example.com").rule, "deny-blocked-plain");
  for (const host of ["203.0.113.7", "[::1]", "exa mple.com", ""])
    t.is(learning.decideLookup(host).rule, "deny-malformed-name", host);
});

test("a verdict names its entry, and a denial its reason", (t) => {
  const verdict = (host: string, port = 443) => policy.decide({ host, port, protocol: "https" });
  t.is(verdict("x.example.com").pattern, "example.com");
  t.like(verdict("ads.example.com"), {
    pattern: "ads.example.com",
    reason: "blocked by 'ads.example.com'",
  });
  t.is(verdict("x.test", 22).reason, "port 22 not allowed, only 80 and 443 are permitted");
  t.is(
    withPorts.decidePort("example.com", 25).reason,
    "port 25 not allowed, only 80, 443, 5432, 22, 8443 and 8080 are permitted",
  );
  t.is(
    withPorts.decidePort("other.test", 22).reason,
    "the allowlist does not have other.test with port 22",
  );
  t.is(
    policy.decideResolved("127.0.0.1", "https").reason,
    "resolves to 127.0.0.1, an address inside this machine or its network",
  );
});

test("a port is limited to a protocol if an entry says so", (t) => {
  t.true(withPorts.limitsPort(8443, "https"));
  t.false(withPorts.limitsPort(8443, "http"));
  t.false(withPorts.limitsPort(22, "https"));
  t.deepEqual([...withPorts.ports], [5432, 22, 8443, 8080]);
});

const spellings: ReadonlyArray<readonly [text: string, address: string | undefined]> = [
  ["127.0.0.1", "127.0.0.1"],
  ["2130706433", "127.0.0.1"],
  ["0x7f000001", "127.0.0.1"],
  ["017700000001", "127.0.0.1"],
  ["127.1", "127.0.0.1"],
  ["127.0.0.1.", "127.0.0.1"],
  ["[::1]", "::1"],
  ["::ffff:7f00:1", "127.0.0.1"],
  ["::ffff:cb00:7107", "203.0.113.7"],
  ["::ffff:255.254.253.252", "255.254.253.252"],
  ["0:0:0:0:0:0:0:1", "::1"],
  ["fe80::1%eth0", "fe80::1"],
  ["example.com", undefined],
  ["face.b00c", undefined],
  ["1.2.3.4.5", undefined],
  ["", undefined],
];
for (const [text, address] of spellings) {
  test(`${JSON.stringify(text)} means ${address ?? "no address"}`, (t) => {
    t.is(parseIpAddress(text), address);
  });
}

test("an invalid address counts as internal", (t) => {
  t.true(isInternal("nonsense"));
});
