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
  [
    /^cli\/(commands\/)?up\.ts$/,
    /^(cli|grammar|daemon\/config|daemon\/catalog|daemon\/main|daemon\/errors)(\/|\.)/,
  ],
  // A server of its own, without the daemon around it: hooks files, commands, watching.
  [
    /^cli\/webhook(\.ts$|\/)/,
    /^(cli\/(webhook\/|program\/(node-version|version|prelude))|plugins\/hooks\/(compat\/|runs\/concurrency-queue)|daemon\/(services\/(processes\/|mask|redact|clock)|watch\/))/,
  ],
  [
    /^cli\/(commands\/)?settings\//,
    /^(cli|plugins\/settings|grammar|daemon\/errors|daemon\/http\/control\/api)(\/|\.)/,
  ],
  [
    /^cli\/(commands\/)?sandbox\//,
    /^(cli|plugins\/firewall\/offline|daemon\/errors|daemon\/http\/control\/api)(\/|\.)/,
  ],
  [/^cli\/commands\/hook\/convert\.ts$/, /^(cli|grammar|plugins\/hooks\/compat)(\/|\.)/],
  [
    /^cli\/(commands\/)?hooks?\//,
    /^(cli|grammar|plugins\/hooks\/offline|daemon\/(config\/(secrets|values\/block)|errors|http\/control\/api))(\/|\.)/,
  ],
  // The dashboard reads what plugins keep of a request and of settings; types only.
  [
    /^cli\/tui\//,
    /^(cli|grammar|plugins\/(hooks|settings)\/offline|daemon\/(errors|config|catalog|host\/codes|http\/control\/api))(\/|\.)/,
  ],
  [/^cli\/commands\/doctor\/directory\.ts$/, /^(cli|daemon\/main\/directories)(\/|\.)/],
  [
    /^cli\//,
    /^(cli|grammar|daemon\/config|daemon\/catalog|daemon\/errors|daemon\/http\/control\/api|daemon\/host\/codes)(\/|\.)/,
  ],
  [/^(tests|bench)\//, /^/],
];

/** A plugin's room is its own folder; everybody else is looked up above. */
function allowed(file: string): RegExp {
  const [own] = /^(plugins|examples)\/[^/]+\//.exec(file) ?? [];
  return own ? new RegExp(`^${own}`) : (rooms.find(([room]) => room.test(file))?.[1] ?? /^$/);
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
  const known = /^(\.|node:|reeve\/(plugin|testing)$)/;
  t.true(outside.length > 5);
  t.deepEqual(
    outside.flatMap((file) => imports(file).filter((specifier) => !known.test(specifier))),
    [],
  );
});
