import test from "ava";
import fc from "fast-check";
import { type RequestOrigin, type RequestTarget, requestTarget } from "./request-target.js";

const explicit: RequestOrigin = { kind: "explicit" };
const transparent: RequestOrigin = { kind: "transparent", address: "93.184.216.34" };
const tunnelled: RequestOrigin = { kind: "tunnelled", host: "a.test", port: 80 };
const intercepted: RequestOrigin = { kind: "intercepted", host: "a.test", port: 443 };

const short = (target: RequestTarget): string =>
  target.kind === "target" ? `${target.url} by ${target.path}` : target.kind;

const cases: ReadonlyArray<
  readonly [scene: RequestOrigin, target: string, hosts: string[], gets: string]
> = [
  [explicit, "http://a.test/x?y", ["a.test"], "http://a.test/x?y by /x?y"],
  [explicit, "http://A.test.", ["a.test"], "http://a.test/ by /"],
  [explicit, "HTTP://a.test:8080/x", ["a.test:8080"], "http://a.test:8080/x by /x"],
  [explicit, "http://a.test/", [], "http://a.test/ by /"],
  [explicit, "http://a.test/", ["b.test"], "misaligned"],
  [explicit, "http://a.test/", ["a.test:81"], "misaligned"],
  [explicit, "/x", ["a.test"], "malformed"],
  [explicit, "https://a.test/", ["a.test"], "malformed"],
  [explicit, "ftp://a.test/", ["a.test"], "malformed"],
  [explicit, "http://user@a.test/", ["a.test"], "malformed"],
  [explicit, "http://a.test\\@b.test/", ["a.test"], "malformed"],
  [explicit, "http://[::1]/", ["[::1]"], "http://[::1]/ by /"],
  [explicit, "http://2130706433/", ["2130706433"], "http://127.0.0.1/ by /"],
  [transparent, "/x", ["a.test"], "http://a.test/x by /x"],
  [transparent, "/x", [], "http://93.184.216.34/x by /x"],
  [transparent, "/x", ["a.test:8080"], "http://a.test:8080/x by /x"],
  [transparent, "http://a.test/x", ["a.test"], "http://a.test/x by /x"],
  [transparent, "http://b.test/x", ["a.test"], "misaligned"],
  [transparent, "/", ["a.test", "a.test"], "malformed"],
  [transparent, "/", ["a test"], "malformed"],
  [transparent, "/", ["a.test/x"], "malformed"],
  [transparent, "*", ["a.test"], "http://a.test by *"],
  [tunnelled, "/", ["a.test"], "http://a.test/ by /"],
  [tunnelled, "/", ["b.test"], "misaligned"],
  [tunnelled, "http://b.test/", ["b.test"], "misaligned"],
  [intercepted, "/x", ["a.test"], "https://a.test/x by /x"],
  [intercepted, "/x", ["a.test:443"], "https://a.test/x by /x"],
  [intercepted, "/x", ["a.test:444"], "misaligned"],
  [intercepted, "/x", ["b.test"], "misaligned"],
];
for (const [origin, target, hosts, gets] of cases) {
  test(`${origin.kind}: ${target} with Host ${hosts.join(" and ") || "missing"} is ${gets}`, (t) => {
    t.is(short(requestTarget({ target, hosts }, origin)), gets);
  });
}

test("inside a tunnel only the tunnel's host is a valid target", (t) => {
  fc.assert(
    fc.property(fc.string(), fc.array(fc.string(), { maxLength: 2 }), (target, hosts) => {
      const read = requestTarget({ target, hosts }, tunnelled);
      return read.kind !== "target" || (read.host === "a.test" && read.port === 80);
    }),
  );
  t.pass();
});
