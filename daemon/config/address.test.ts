import test from "ava";
import { addressText, overlap, parseAddress } from "./address.js";

const reads = test.macro({
  exec: (t, text: string, canonical: string) => t.is(addressText(parseAddress(text)), canonical),
  title: (_, text, canonical) => `\`${text}\` is the address ${canonical}`,
});
test(reads, "127.0.0.1:9000", "127.0.0.1:9000");
test(reads, "[::1]:9000", "[::1]:9000");
test(reads, "[FE80::1]:80", "[fe80::1]:80");
test(reads, ":9000", ":9000");
test(reads, "*:9000", ":9000");
test(reads, "localhost:9000", "127.0.0.1:9000");
test(reads, "0.0.0.0:0", "0.0.0.0:0");
test(reads, "unix:/run/x.sock", "unix:/run/x.sock");
test(reads, "unix:/run//y/../x.sock", "unix:/run/x.sock");

const refuses = test.macro({
  exec: (t, text: string, why: RegExp) =>
    void t.throws(() => parseAddress(text), { name: "ReeveError", message: why }),
  title: (_, text: string) => `\`${text.slice(0, 40)}\` is refused with the reason`,
});
test(refuses, "9000", /write `:9000`/);
test(refuses, "::1", /in brackets/);
test(refuses, "127.0.0.1", /port is missing/);
test(refuses, "localhost", /port is missing/);
test(refuses, "example.org:80", /names are not looked up/);
test(refuses, "127.0.0.1:70000", /at most 65535/);
test(refuses, "[127.0.0.1]:80", /not an IPv6 address/);
test(refuses, "http://127.0.0.1:80/", /without `http:\/\/`/);
test(refuses, "unix:x.sock", /starts with `\/`/);
test(refuses, "unix:/run/", /names no file/);
test(refuses, `unix:/${"x".repeat(120)}`, /121 bytes and the system allows 107/);
test(refuses, "", /not one/);

const overlaps = test.macro({
  exec: (t, one: string, other: string, expected: boolean) => {
    t.is(overlap(parseAddress(one), parseAddress(other)), expected);
    t.is(overlap(parseAddress(other), parseAddress(one)), expected);
  },
  title: (_, one, other, expected) => `${one} and ${other} ${expected ? "meet" : "do not meet"}`,
});
test(overlaps, "127.0.0.1:80", "127.0.0.1:80", true);
test(overlaps, "127.0.0.1:80", ":80", true);
test(overlaps, "[::1]:80", "0.0.0.0:80", true);
test(overlaps, "127.0.0.1:80", "127.0.0.2:80", false);
test(overlaps, "127.0.0.1:80", ":81", false);
test(overlaps, "unix:/a", "unix:/a", true);
test(overlaps, "unix:/a", ":80", false);
