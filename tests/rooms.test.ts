/** Import boundaries: docs/architecture.md, "Rooms", as a test. */
import { globSync, readFileSync } from "node:fs";
import { posix } from "node:path";
import test from "ava";

/** The first row whose left side is the file decides. */
const rooms: ReadonlyArray<readonly [file: RegExp, mayImport: RegExp]> = [
  [/^grammar\//, /^grammar\//],
  [/^daemon\/plugin-api\//, /^(daemon\/plugin-api|grammar)\//],
  [/^daemon\/config\//, /^(daemon\/config|daemon\/plugin-api|daemon\/errors|grammar)(\/|\.)/],
  [/^daemon\/plugin-testing\//, /^(daemon|grammar)\//],
  [/^daemon\//, /^(daemon\/(?!plugin-testing\/)|grammar\/)/],
  // The firewall knows no configuration; this way in reads one for it.
  [
    /^cli\/awf(\.ts$|\/)/,
    /^(plugins\/firewall\/|cli\/(awf\/|program\/prelude\.)|daemon\/(config|catalog|errors)(\/|\.)|grammar\/)/,
  ],
  // The hooks plugin's server of hooks files, composed with the daemon's processes, watcher and redaction.
  [
    /^cli\/webhook\.ts$/,
    /^(cli\/program\/(node-version|version|prelude)|plugins\/hooks\/webhook\/|daemon\/(services\/(processes\/|mask|redact|clock)|watch\/))/,
  ],
  [
    /^cli\//,
    /^(cli|grammar|daemon\/(config|catalog|main|errors|host\/codes|http\/control\/api))(\/|\.)/,
  ],
  // They run whole command lines.
  [/^plugins\/[^/]+\/cli\/.*\.test\.ts$/, /^(cli|plugins|daemon\/http\/control)\//],
  [/^(tests|bench)\//, /^/],
];

/** A plugin's room is its own folder; everybody else is looked up above. */
function allowed(file: string): RegExp {
  const [own] = /^(plugins|examples)\/[^/]+\//.exec(file) ?? [];
  const isCliTest = /^plugins\/[^/]+\/cli\/.*\.test\.ts$/.test(file);
  return own && !isCliTest
    ? new RegExp(`^${own}`)
    : (rooms.find(([room]) => room.test(file))?.[1] ?? /^$/);
}

/** Libraries that belong to one room. */
const libraries: ReadonlyArray<readonly [library: RegExp, room: RegExp]> = [
  [/^tsyringe$/, /^daemon\/(?!plugin-api|config)/],
  [
    /^reflect-metadata$/,
    /^(daemon\/(?!plugin-api|config)|plugins\/firewall\/proxy\/certificates\.ts$)/,
  ],
  [/^fastify$/, /^daemon\/(http|host|context|plugin-testing|plugin-api)\//],
  [/^(ink|react)(\/|$)/, /^cli\/tui\//],
  [/^zod(\/|$)/, /^daemon\/(?!plugin-api)/],
  [/^reeve\/cli$/, /^(plugins\/[^/]+\/cli|examples\/[^/]+\/(src|test))\//],
  [/^reeve\/testing$/, /(\.test\.ts$|\/test(ing)?\/|^(tests|bench)\/)/],
  [/^reeve\//, /^(plugins|examples|tests|bench)\//],
];

const imports = (file: string): string[] =>
  [
    ...readFileSync(file, "utf8").matchAll(
      /^(?:import|export)\b(?:[^;"']*?\bfrom)?\s*["']([^"']+)["'];|\bimport\(\s*["']([^"']+)["']/gm,
    ),
  ].map(([, fixed, dynamic]) => fixed ?? dynamic ?? "");
const resolved = (file: string, specifier: string): string =>
  posix.join(posix.dirname(file), specifier);

const files = globSync("{grammar,daemon,plugins,cli,tests,bench}/**/*.{ts,tsx}")
  .concat(globSync("examples/*/{src,test}/**/*.ts"))
  .sort();

test("the check sees files and imports at all", (t) => {
  t.true(files.length > 10);
  t.true(files.flatMap(imports).filter((specifier) => specifier.startsWith(".")).length > 10);
  t.false(
    allowed("plugins/hooks/plugin.ts").test(
      resolved("plugins/hooks/plugin.ts", "../firewall/x.js"),
    ),
  );
  t.false(allowed("grammar/parse.ts").test(resolved("grammar/parse.ts", "../daemon/main.js")));
  t.false(allowed("daemon/config/load.ts").test(resolved("daemon/config/load.ts", "../http/x.js")));
});

test("no file imports from a room that is closed to it", (t) => {
  const trespasses = files.flatMap((file) =>
    imports(file)
      .filter((specifier) => specifier.startsWith("."))
      .map((specifier) => resolved(file, specifier))
      .filter((target) => !allowed(file).test(target))
      .map((target) => `${file} imports ${target}`),
  );
  t.deepEqual(trespasses, []);
});

test("libraries stay in the rooms they belong to", (t) => {
  const strays = files.flatMap((file) =>
    imports(file).flatMap((specifier) =>
      libraries
        .filter(([library, room]) => library.test(specifier) && !room.test(file))
        .filter(() => !/^(tests|bench)\//.test(file))
        .map(() => `${file} imports ${specifier}`),
    ),
  );
  t.deepEqual(strays, []);
});

test("a plugin made outside knows nothing but what everybody gets", (t) => {
  const outside = files.filter((file) => file.startsWith("examples/third-party-plugin/"));
  const known = /^(\.|node:|reeve\/(plugin|cli|testing)$)/;
  t.true(outside.length > 5);
  t.deepEqual(
    outside.flatMap((file) => imports(file).filter((specifier) => !known.test(specifier))),
    [],
  );
});
