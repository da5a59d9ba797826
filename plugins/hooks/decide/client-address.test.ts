/** Whose request it is, with proxies in between. */
import test from "ava";
import fc from "fast-check";
import { badNetwork, clientAddress, isInNetworks, type ProxyHeader } from "./client-address.js";

const trusted = ["127.0.0.1", "10.0.0.0/8", "2001:db8:1::/48"];
const PROXY = "10.0.0.1";

const cases: ReadonlyArray<
  readonly [
    title: string,
    peer: string | undefined,
    header: ProxyHeader,
    written: string | undefined,
    client: string | undefined,
  ]
> = [
  [
    "no proxy, and a header that a stranger made up",
    "192.0.2.1",
    "X-Forwarded-For",
    "10.9.9.9",
    "192.0.2.1",
  ],
  ["one proxy", PROXY, "X-Forwarded-For", "192.0.2.7", "192.0.2.7"],
  ["two proxies", "127.0.0.1", "X-Forwarded-For", "192.0.2.7, 10.2.3.4", "192.0.2.7"],
  [
    "a stranger who pretends to be somebody",
    PROXY,
    "X-Forwarded-For",
    "10.9.9.9, 203.0.113.5, 192.0.2.7",
    "192.0.2.7",
  ],
  [
    "a stranger who pretends to come from a proxy",
    PROXY,
    "X-Forwarded-For",
    "10.9.9.9, 192.0.2.7",
    "192.0.2.7",
  ],
  ["proxies alone", PROXY, "X-Forwarded-For", "10.9.9.9, 10.2.3.4", "10.9.9.9"],
  ["a port", PROXY, "X-Forwarded-For", "192.0.2.7:4711", "192.0.2.7"],
  ["IPv6", PROXY, "X-Forwarded-For", "2001:db8:2::7", "2001:db8:2::7"],
  ["IPv6 with a port", PROXY, "X-Forwarded-For", "[2001:db8:2::7]:4711", "2001:db8:2::7"],
  ["a proxy with IPv6", "2001:db8:1::9", "X-Forwarded-For", "192.0.2.7", "192.0.2.7"],
  ["IPv4 written as IPv6", PROXY, "X-Forwarded-For", "::ffff:192.0.2.7", "192.0.2.7"],
  ["the proxy's own request", PROXY, "X-Forwarded-For", undefined, PROXY],
  ["a header that says nothing", PROXY, "X-Forwarded-For", "", undefined],
  ["a header that names nobody", PROXY, "X-Forwarded-For", "192.0.2.7, unknown", undefined],
  [
    "a hop that is no address, behind one that counts",
    PROXY,
    "X-Forwarded-For",
    "evil, 192.0.2.7",
    "192.0.2.7",
  ],
  ["`Forwarded`", PROXY, "Forwarded", "for=192.0.2.7;proto=https;by=10.0.0.1", "192.0.2.7"],
  [
    "`Forwarded` with IPv6 and a port",
    PROXY,
    "Forwarded",
    'proto=https; For="[2001:db8:2::7]:4711"',
    "2001:db8:2::7",
  ],
  ["`Forwarded` of two proxies", PROXY, "Forwarded", "for=192.0.2.7, for=10.2.3.4", "192.0.2.7"],
  ["`Forwarded` that hides who it is", PROXY, "Forwarded", "for=192.0.2.7, for=_hidden", undefined],
  ["`Forwarded` without `for`", PROXY, "Forwarded", "proto=https", undefined],
  ["`X-Real-IP`", PROXY, "X-Real-IP", "192.0.2.7", "192.0.2.7"],
  ["a unix socket that nobody trusts", undefined, "X-Forwarded-For", "192.0.2.7", undefined],
];

for (const [title, peer, header, written, client] of cases) {
  test(`${title}: ${client ?? "nobody knows"}`, (t) => {
    const headers: Record<string, string> =
      written === undefined ? {} : { [header.toLowerCase()]: written };
    t.is(clientAddress(peer, headers, { trusted, header }), client);
  });
}

test("a proxy on a unix socket counts where `unix` does", (t) => {
  const proxies = { trusted: ["unix"], header: "X-Forwarded-For" } as const;
  t.is(clientAddress(undefined, { "x-forwarded-for": "192.0.2.7" }, proxies), "192.0.2.7");
});

test("without proxies the header says nothing", (t) => {
  t.is(clientAddress("192.0.2.1", { "x-forwarded-for": "10.0.0.1" }, undefined), "192.0.2.1");
});

test("an untrusted part of a header never decides", (t) => {
  const address = fc.ipV4().filter((each) => !isInNetworks(each, trusted));
  fc.assert(
    fc.property(fc.string(), address, (made, real) => {
      const headers = { "x-forwarded-for": `${made}, ${real}` };
      return clientAddress(PROXY, headers, { trusted, header: "X-Forwarded-For" }) === real;
    }),
  );
  t.pass();
});

for (const [address, networks, inside] of [
  ["192.0.2.7", ["192.0.2.0/24"], true],
  ["192.0.3.7", ["192.0.2.0/24"], false],
  ["192.0.2.7", ["192.0.2.7"], true],
  ["2001:db8::1", ["2001:db8::1"], true],
  ["2001:db8::2", ["2001:db8::1"], false],
  ["fe80::1%eth0", ["fe80::/10"], true],
  ["192.0.2.7", ["::/0"], false],
  ["nonsense", ["0.0.0.0/0"], false],
  [undefined, ["0.0.0.0/0", "::/0"], false],
] as const) {
  test(`${address} is ${inside ? "" : "not "}in ${networks}`, (t) => {
    t.is(isInNetworks(address, networks), inside);
  });
}

for (const [written, good] of [
  ["10.0.0.0/8", true],
  ["::1", true],
  ["10.0.0.0/33", false],
  ["10.0.0", false],
  ["10.0.0.0/", false],
  ["example.com", false],
] as const) {
  test(`${written} is ${good ? "" : "not "}a network`, (t) => {
    t.is(badNetwork(written) === undefined, good);
  });
}
