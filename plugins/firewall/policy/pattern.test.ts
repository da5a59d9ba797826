import test from "ava";
import fc from "fast-check";
import { parseDomainPattern } from "./pattern.js";
import { PatternList, type Protocol } from "./pattern-list.js";

const covers = (pattern: string, name: string, protocol?: Protocol): boolean =>
  new PatternList([parseDomainPattern(pattern)]).findName(name, protocol) !== undefined;

const matching: ReadonlyArray<readonly [pattern: string, matches: string[], not: string[]]> = [
  [
    "github.com",
    ["github.com", "api.github.com", "a.b.github.com"],
    ["notgithub.com", "github.com.evil.example", "com"],
  ],
  ["GitHub.COM.", ["github.com", "api.github.com"], []],
  [
    "*.github.com",
    ["api.github.com", "a.b.github.com"],
    ["github.com", "notgithub.com", "api.github.com.evil.example"],
  ],
  [
    "api-*.example.com",
    ["api-1.example.com", "api-.example.com", "api-1.x.example.com"],
    ["xapi-1.example.com"],
  ],
  ["*github.com", ["github.com", "notgithub.com"], ["github.com.example"]],
  [" example.com/ ", ["example.com"], []],
  [".example.com", ["example.com", "a.example.com"], []],
  ["bücher.example", ["xn--bcher-kva.example", "www.xn--bcher-kva.example"], ["bucher.example"]],
  ["registry", ["registry", "a.registry"], ["registry.example"]],
  ["a_b.example", ["a_b.example"], []],
];
for (const [pattern, matches, not] of matching) {
  test(`the entry ${JSON.stringify(pattern)} covers ${matches.join(", ")}`, (t) => {
    for (const name of matches) t.true(covers(pattern, name), name);
    for (const name of not) t.false(covers(pattern, name), name);
  });
}

test("a prefix limits an entry to one protocol, and no prefix to none", (t) => {
  t.deepEqual(
    ["http://a.example", "https://a.example", "HTTPS://a.example", "a.example"].map((entry) => [
      covers(entry, "a.example", "http"),
      covers(entry, "a.example", "https"),
    ]),
    [
      [true, false],
      [false, true],
      [false, true],
      [true, true],
    ],
  );
});

const refused: ReadonlyArray<readonly [entry: string, reason: string]> = [
  ["", "Domain cannot be empty"],
  ["https://", "Domain cannot be empty"],
  ["*", "Pattern '*' matches all domains and is not allowed"],
  ["http://*", "Pattern '*' matches all domains and is not allowed"],
  ["*.*", "Pattern '*.*' is too broad and is not allowed"],
  ["*.", "Pattern '*.' is too broad and is not allowed"],
  [".*", "Pattern '.*' is too broad and is not allowed"],
  ["*.*.com", "Pattern '*.*.com' has too many wildcard segments and is not allowed"],
  ["a.*.*", "Pattern 'a.*.*' has too many wildcard segments and is not allowed"],
  ["a..b", "Invalid domain 'a..b': contains double dots"],
  [".", "Invalid domain: cannot be just a dot"],
  ["*.com", "Pattern '*.com' covers a whole public suffix and is not allowed"],
  ["*.co.uk", "Pattern '*.co.uk' covers a whole public suffix and is not allowed"],
  ["com", "Domain 'com' is a public suffix that anyone can register under and is not allowed"],
  ["*api*", "Pattern '*api*' is too broad and is not allowed"],
  ["*a", "Pattern '*a' is too broad and is not allowed"],
  ["example.*", "Pattern 'example.*' is too broad and is not allowed"],
  [
    "a.example\nb.example",
    'Invalid domain "a.example\\nb.example": contains invalid character "\\n"',
  ],
  ["a.example b", 'Invalid domain "a.example b": contains invalid character " "'],
  ["a#b.example", 'Invalid domain "a#b.example": contains invalid character "#"'],
  ['"a.example"', 'Invalid domain "\\"a.example\\"": contains invalid character "\\""'],
  ["a.example;b", 'Invalid domain "a.example;b": contains invalid character ";"'],
  ["a.example/path", "Invalid domain 'a.example/path': contains a path"],
  ["https//a.example", "Invalid domain 'https//a.example': a prefix is written https://a.example"],
  ["http:/a.example", "Invalid domain 'http:/a.example': a prefix is written http://a.example"],
  ["a.example:0", "Invalid domain 'a.example:0': the port is not a number from 1 to 65535"],
  ["a.example:65536", "Invalid domain 'a.example:65536': the port is not a number from 1 to 65535"],
  ["a.example:ssh", "Invalid domain 'a.example:ssh': the port is not a number from 1 to 65535"],
  ["a.example:", "Invalid domain 'a.example:': the port is not a number from 1 to 65535"],
  ["git@a.example", "Invalid domain 'git@a.example': a user needs a port, as in git@a.example:22"],
  ["git@a.example:o/r", "Invalid domain 'git@a.example:o/r': contains a path"],
  ["http://a.example:443", "Invalid domain 'http://a.example:443': port 443 is for https only"],
  ["https://a.example:80", "Invalid domain 'https://a.example:80': port 80 is for http only"],
  ["*.com:22", "Pattern '*.com' covers a whole public suffix and is not allowed"],
  ["*:22", "Pattern '*' matches all domains and is not allowed"],
  [
    "ftp://a.example",
    "Invalid domain 'ftp://a.example': the only prefixes are http:// and https://",
  ],
  [`${"a".repeat(64)}.example`, `Invalid domain '${"a".repeat(64)}.example': not a domain name`],
  ["-a.example", "Invalid domain '-a.example': not a domain name"],
];
for (const [entry, reason] of refused) {
  test(`the entry ${JSON.stringify(entry)} is refused: ${reason}`, (t) => {
    t.is(t.throws(() => parseDomainPattern(entry)).message, reason);
  });
}

const withPorts: ReadonlyArray<readonly [entry: string, host: string, port: number]> = [
  ["db.example:5432", "db.example", 5432],
  ["git@host.example:22", "host.example", 22],
  ["host.example:1", "host.example", 1],
  ["host.example:65535", "host.example", 65_535],
  ["http://host.example:80", "host.example", 80],
  ["https://host.example:443", "host.example", 443],
  ["*.db.example:5432", "*.db.example", 5432],
  ["https://a.example:8443/", "a.example", 8443],
  ["203.0.113.7:5432", "203.0.113.7", 5432],
  ["[2001:db8::1]:5432", "2001:db8::1", 5432],
];
for (const [entry, host, port] of withPorts) {
  test(`the entry ${entry} covers port ${port} of ${host} alone`, (t) => {
    const pattern = parseDomainPattern(entry);
    t.deepEqual([pattern.host, pattern.port], [host, port]);
  });
}

test("an entry that is too broad to allow can be blocked, except `*`", (t) => {
  t.is(parseDomainPattern("*.com", "block").host, "*.com");
  t.is(parseDomainPattern("com", "block").host, "com");
  t.is(parseDomainPattern("ads*", "block").host, "ads*");
  t.throws(() => parseDomainPattern("*", "block"));
});

test("the entry of the name itself comes first, then its nearest parent, then wildcards in order", (t) => {
  const list = new PatternList(
    [
      "*.example.test",
      "*.b.example.test",
      "example.test",
      "b.example.test",
      "http://a.b.example.test",
    ].map((entry) => parseDomainPattern(entry)),
  );
  const found = (name: string, protocol?: Protocol, port?: number) =>
    list.findName(name, protocol, port)?.text;
  t.is(found("a.b.example.test"), "http://a.b.example.test");
  t.is(found("a.b.example.test", "https"), "b.example.test");
  t.is(found("x.example.test"), "example.test");
  t.is(found("x.example.test", "https", 443), "example.test");
  t.is(found("x.example.test", "https", 80), "example.test");
  t.is(found("x.example.test", "https", 8443), undefined);
  t.is(found("other.test"), undefined);
  const wild = new PatternList(list.patterns.filter(({ kind }) => kind === "wildcard"));
  t.is(wild.findName("a.b.example.test")?.text, "*.example.test");
});

test("an address is found by itself alone; a list for every port covers any", (t) => {
  const entries = [parseDomainPattern("203.0.113.7"), parseDomainPattern("a.test")];
  t.is(new PatternList(entries).findAddress("203.0.113.7", "tcp", 22), undefined);
  t.is(new PatternList(entries, true).findAddress("203.0.113.7", "tcp", 22), entries[0]);
  t.is(new PatternList(entries).findAddress("203.0.113.8"), undefined);
  t.is(new PatternList(entries).findAddress("a.test"), undefined);
  t.is(new PatternList(entries).findName("203.0.113.7"), undefined);
  t.is(new PatternList(entries, true).findName("x.a.test", "tcp", 22), entries[1]);
});

test("an address in any spelling is an address, and covers itself alone", (t) => {
  const spellings = [
    "203.0.113.7",
    "0xcb.0.0x71.7",
    "3405803783",
    "::ffff:203.0.113.7",
    "[::ffff:cb00:7107]",
  ];
  t.deepEqual(
    spellings.map((text) => {
      const { kind, host } = parseDomainPattern(text);
      return [kind, host];
    }),
    spellings.map(() => ["address", "203.0.113.7"]),
  );
  t.false(covers("203.0.113.7", "x.203.0.113.7"));
});

const label = fc.stringMatching(/^[a-z0-9]([a-z0-9-]{0,8}[a-z0-9])?$/);
const domain = fc
  .tuple(label, label, fc.constantFrom("example", "test", "com", "org"))
  .map((parts) => parts.join("."));

test("a plain entry covers exactly its name and subdomains", (t) => {
  fc.assert(
    fc.property(domain, domain, fc.option(label, { nil: undefined }), (entry, other, prefix) => {
      const name = prefix === undefined ? other : `${prefix}.${entry}`;
      return covers(entry, name) === (name === entry || name.endsWith(`.${entry}`));
    }),
  );
  t.pass();
});

test("a wildcard entry covers only names with its fixed suffix", (t) => {
  fc.assert(
    fc.property(domain, fc.string(), (entry, noise) => {
      const name = `${entry}.${noise}`;
      return !covers(`*.${entry}`, name) || name.endsWith(`.${entry}`);
    }),
  );
  t.pass();
});
