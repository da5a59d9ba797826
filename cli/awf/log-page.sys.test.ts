/** `awf logs summary --format html`: what is on the page, and that nothing in a log becomes markup. */
import test, { type ExecutionContext } from "ava";
import fc from "fast-check";
import { outputOf } from "../../tests/support/child.js";
import { AWF } from "../../tests/support/commands.js";
import { folder } from "../../tests/support/folder.js";
import { logPage } from "./log-page.js";

const NOW = Date.parse("2026-11-21T12:00:00Z");

const access = (at: number, domain: string, allowed: boolean): string =>
  `${at}.000 10.0.0.2:4000 ${domain}:443 192.0.2.1:443 1.1 CONNECT ${allowed ? 200 : 403} ${allowed ? "TCP_TUNNEL:HIER_DIRECT" : "TCP_DENIED:HIER_NONE"} ${domain}:443 "curl/8"\n`;

async function pageOf(t: ExecutionContext, text: string): Promise<string> {
  const directory = folder(t, { "access.log": text });
  const words = [AWF, "logs", "summary", "--format", "html", "--source", directory];
  return outputOf(process.execPath, words);
}

test("the page has counts, a bar for each interval, domains and programs", async (t) => {
  const start = 1_700_000_000;
  const lines = Array.from({ length: 600 }, (_, second) =>
    access(start + second, second % 3 === 0 ? "denied.example" : "ok.example", second % 3 !== 0),
  );
  const page = await pageOf(t, lines.join(""));
  t.regex(page, /<span>600 requests<\/span>/);
  t.regex(page, /✓ allowed<\/span> 400/);
  t.regex(page, /⊘ denied<\/span> 200/);
  t.regex(page, /2023-11-14 22:1\d:\d\d: \d+ allowed, \d+ denied/);
  const [, bars = ""] = /<h2>Requests over time<\/h2>\n<svg([\s\S]*?)<\/svg>/.exec(page) ?? [];
  const counts = [...bars.matchAll(/<title>[^:]*:\d\d:\d\d: (\d+) allowed, (\d+) denied/g)];
  t.true(counts.length > 100 && counts.length <= 240);
  t.regex(page, /<td>ok\.example<\/td><td class="number">400<\/td><td class="number">0<\/td>/);
  t.regex(page, /<td>denied\.example<\/td><td class="number">0<\/td><td class="number">200<\/td>/);
  t.regex(page, /<td>curl\/8<\/td><td class="number">400<\/td><td class="number">200<\/td>/);
});

test("a domain with markup in its name is text", async (t) => {
  const hostile = "<script>alert(1)</script>.example";
  const page = await pageOf(t, access(1_700_000_000, hostile, false));
  t.notRegex(page, /<script/);
  t.regex(page, /&#60;script&#62;alert\(1\)&#60;\/script&#62;\.example/);
});

test("a page loads nothing; an empty log is a page without a chart", async (t) => {
  const page = await pageOf(t, "");
  t.regex(page, /0 requests/);
  t.regex(page, /default-src 'none'/);
  t.notRegex(page, /<svg|<table|<script|<link|<img|https?:|url\(|@import/);
});

test("no name becomes markup, whatever it is", (t) => {
  const name = fc.oneof(
    fc.string(),
    fc.constantFrom('"><img src=x onerror=alert(1)>', "</td><b>", "&lt;", "'", "\u001b[2J\u202e"),
  );
  fc.assert(
    fc.property(name, name, (domain, program) => {
      const counts = { allowed: 1, denied: 2 };
      const data = {
        ...{ total: counts, interval: 1, overTime: [{ at: 1_700_000_000, ...counts }] },
        domains: [{ name: domain, ...counts }],
        programs: [{ name: program, ...counts }],
      };
      const page = logPage(data, NOW);
      t.notRegex(page, /<(?:script|img|b)\b/);
      t.is(page.match(/<td/g)?.length, 8);
      // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there.
      t.notRegex(page, /[\u0000-\u0009\u000b-\u001f]/);
    }),
  );
});
