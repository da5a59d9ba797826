import { readFileSync } from "node:fs";
import test from "ava";
import { credentialDirectories, credentialFiles } from "../engine/credentials.js";
import { startPaths } from "../testing/security/start-paths.js";
import { parseDomainPattern } from "./pattern.js";
import { findProfile, profiles } from "./profiles.js";

for (const { name, summary, domains, paths } of profiles) {
  test(`${name}: its domains are valid, its paths neither secret nor protected`, (t) => {
    t.is(findProfile(name).summary, summary);
    t.true(domains.length > 0);
    for (const domain of domains) t.is(parseDomainPattern(domain).text, domain);
    const closed = [...startPaths, ...credentialDirectories, ...credentialFiles];
    for (const path of paths)
      t.false(
        closed.some((other) => path === other || path.startsWith(`${other}/`)),
        path,
      );
  });

  test(`${name}: the page shows the same`, (t) => {
    const page = readFileSync("plugins/firewall/README.md", "utf8");
    const list = (items: readonly string[]) => items.map((item) => `\`${item}\``).join(", ");
    const shown = list(paths.map((path) => `~/${path}`));
    const row = `| \`${name}\` | ${summary} | ${list(domains)} | ${shown || "none"} |`;
    t.true(page.includes(row), row);
  });
}

const unknown: ReadonlyArray<readonly [name: string, message: string]> = [
  ["nmp", 'Unknown profile "nmp"; did you mean "npm"?'],
  ["carg", 'Unknown profile "carg"; did you mean "cargo"?'],
  ["", 'Unknown profile ""; the profiles are npm, pip, cargo, go, git, claude, codex'],
  ["maven", 'Unknown profile "maven"; the profiles are npm, pip, cargo, go, git, claude, codex'],
];
for (const [name, message] of unknown) {
  test(`unknown: ${JSON.stringify(name)}`, (t) => {
    t.throws(() => findProfile(name), { message, code: "unknown_profile" });
  });
}
