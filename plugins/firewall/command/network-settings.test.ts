import test from "ava";
import { readCommandLine } from "./options.js";
import { type AwfSettings, readSettings } from "./settings.js";

function settingsOf(...argv: string[]): AwfSettings {
  const read = readCommandLine([...argv, "--", "true"], "1.2.3");
  if ("exitCode" in read) throw new Error(read.text);
  return readSettings(read.options);
}

const refused: ReadonlyArray<readonly [argv: string[], message: string]> = [
  [
    ["--inject-credential", "ghp_secret"],
    "--inject-credential must be in format NAME=host[,host], NAME a variable",
  ],
  [
    ["--inject-credential", "TOKEN=api.example"],
    "The credential TOKEN is for https://api.example:443, which is not allowed",
  ],
  [
    ["-d", "api.example", "--inject-credential", "TOKEN=*.api.example"],
    "Invalid host '*.api.example': it must be one host",
  ],
  [
    ["-d", "api.example", "--no-bump", "api.example", "--inject-credential", "TOKEN=api.example"],
    "The credential TOKEN needs decrypted HTTPS, which the list excludes for api.example",
  ],
  [
    ["--ssl-bump", "--allow-urls", "https://a.example/x", "--no-bump", "a.example"],
    'URL pattern "https://a.example/x" needs decrypted HTTPS, which the list excludes for a.example',
  ],
  [
    ["-d", "a.example:0"],
    "Invalid domain or pattern: Invalid domain 'a.example:0': the port is not a number from 1 to 65535",
  ],
];
for (const [argv, message] of refused) {
  test(`awf ${argv.join(" ")} is refused`, (t) => {
    t.is(t.throws(() => settingsOf(...argv)).message, message);
  });
}

test("--no-bump is repeatable and joins the lists", (t) => {
  const { spec } = settingsOf("--no-bump", "a.example,b.example", "--no-bump", "c.example");
  t.deepEqual(
    spec.noBump.patterns.map(({ host }) => host),
    ["a.example", "b.example", "c.example"],
  );
  t.deepEqual(settingsOf().spec.noBump.patterns, []);
});

test("more than 256 different ports are refused", (t) => {
  const entries = (count: number) =>
    Array.from({ length: count }, (_, index) => `a.example:${1000 + index}`).join(",");
  t.is(settingsOf("-d", entries(256)).spec.policy.ports.size, 256);
  const thrown = t.throws(() => settingsOf("-d", entries(257)));
  t.regex(thrown.message, /more than 256 different ports/);
});
