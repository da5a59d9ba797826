import test from "ava";
import { PrefixRouter } from "./prefix-router.js";

const router = new PrefixRouter<string>();
for (const prefix of ["/hooks", "/", "/hooks/deploy", "/api"]) router.set(prefix, prefix);

const goes = test.macro({
  exec: (t, url: string, prefix: string | undefined) => t.is(router.match(url), prefix),
  title: (_, url, prefix) => `${url} goes to ${prefix ?? "nobody"}`,
});
test(goes, "/hooks", "/hooks");
test(goes, "/hooks/", "/hooks");
test(goes, "/hooks?a=/hooks/deploy", "/hooks");
test(goes, "/hooks/x", "/hooks");
test(goes, "/hooks/deploy", "/hooks/deploy");
test(goes, "/hooks/deploy/1?x", "/hooks/deploy");
test(goes, "/hooks/deployed", "/hooks");
test(goes, "/hooksters", "/");
test(goes, "/hooks%2Fdeploy", "/");
test(goes, "/apiary", "/");
test(goes, "/?q", "/");
test(goes, "http://example.org/hooks/x", "/hooks");
test(goes, "HTTP://example.org", "/");
test(goes, "*", undefined);
test(goes, "", undefined);

test("without a handler for everything, what nobody wants is nobody's", (t) => {
  const narrow = new PrefixRouter<string>();
  narrow.set("/a", "a");
  t.is(narrow.match("/b"), undefined);
  t.is(narrow.match("/"), undefined);
});

test("a later handler takes over, and the earlier one cannot take it away", (t) => {
  const shared = new PrefixRouter<string>();
  shared.set("/a", "old");
  shared.set("/a", "new");
  shared.delete("/a", "old");
  t.is(shared.match("/a/b"), "new");
  shared.delete("/a", "new");
  t.is(shared.match("/a/b"), undefined);
  t.deepEqual(shared.prefixes, []);
});
