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
  // Two commands run a plugin's code without a daemon; their entries compose it with parts of the daemon.
  [
    /^cli\/(awf(\.ts$|\/)|webhook\.ts$)/,
    /^(plugins\/(firewall|hooks\/webhook)\/|cli\/(awf\/|print\/(html|report|units)\.|program\/(prelude|node-version|version)\.)|daemon\/(config|catalog|errors|services\/(processes|mask|redact|clock)|watch)(\/|\.)|grammar\/)/,
  ],
  // Runs in the browser.
  [/^cli\/web\/page\//, /^cli\/web\/page\//],
  [
    /^cli\//,
    /^(cli|grammar|daemon\/(config|plugin-api|plugin-testing|catalog|main|errors|host\/(codes|probe)|source\/testing|http\/control\/api))(\/|\.)/,
  ],
  // Editor extensions run in the editor.
  [/^editors\//, /^editors\//],
  // Tests of a plugin's commands run whole command lines.
  [/^(tests|bench)\/|^plugins\/[^/]+\/cli\/.*\.test\.ts$/, /^/],
];

/** What each part of a big plugin may import, below the plugin's folder: the first row that matches the file decides. */
const updatesBase = "errors|model|text/|languages/|timetable/";
const updatesLow = `${updatesBase}|versions/|git/|registries/|managers/`;
const updatesDecisions = `${updatesLow}|decide/|advisories/|store/|blocks/`;
const updatesHosts = `${updatesDecisions}|hosts/|config-files/`;
const updatesPorts =
  "pipeline/(ports|dependency-index|sources|manager-services|stages|update-events|job-lease|release-notes/contract)\\.";
const updatesStages = `${updatesHosts}|${updatesPorts}|pipeline/plan/`;
const layers: Readonly<Record<string, ReadonlyArray<readonly [file: string, mayImport: string]>>> =
  {
    "plugins/updates": [
      ["(errors|model)\\.", "(errors|model)\\."],
      ["(text|timetable)/", "errors|model|text/|timetable/"],
      ["languages/", updatesBase],
      // `Versioning` is a type of the managers' contract.
      [
        "(versions|git|registries)/",
        `${updatesBase}|versions/|git/|registries/|managers/contract\\.`,
      ],
      ["managers/lock/", `${updatesBase}|versions/|git/|registries/|managers/(lock/|[a-z-]+\\.)`],
      ["managers/", updatesLow],
      ["(decide|advisories|store|blocks)/", updatesDecisions],
      ["(hosts|config-files)/", updatesHosts],
      [updatesPorts, `${updatesHosts}|${updatesPorts}`],
      ["pipeline/plan/", updatesStages],
      ["pipeline/release-notes/", `${updatesHosts}|${updatesPorts}|pipeline/release-notes/`],
      ["pipeline/publish/", `${updatesStages}|pipeline/publish/`],
      ["pipeline/edit/", `${updatesStages}|pipeline/(publish|edit)/`],
      ["pipeline/inbound/", `${updatesStages}|pipeline/(publish|inbound)/`],
      ["pipeline/follow/", `${updatesStages}|pipeline/(publish|inbound|follow)/`],
      ["pipeline/", `${updatesHosts}|pipeline/`],
      ["cli/", "(cli|config-files|managers)/|errors\\."],
      [
        "(schedule/|api/|control|panel)",
        `${updatesHosts}|pipeline/(ports|plan/|publish/|inbound/)|schedule/|api/|control`,
      ],
      ["(codes|runtime|instance|plugin)\\.", ""],
    ],
    "plugins/hooks": [
      ["(decide|blocks|compat)/", "(decide|blocks|compat)/"],
      ["evidence/", "(decide|blocks|telemetry|evidence)/"],
      ["(runs|telemetry)/", "(decide|blocks|evidence|telemetry|runs)/"],
      ["triggers/", "(decide|blocks|evidence|telemetry|runs|triggers)/"],
      ["schedules/", "(decide|blocks|evidence|telemetry|runs|triggers|schedules)/"],
      ["watches/", "(decide|blocks|evidence|telemetry|runs|triggers|watches)/"],
      ["notices/", "(decide|blocks|evidence|telemetry|runs|notices)/"],
      ["tasks/", "(decide|blocks|evidence|telemetry|runs|triggers|tasks)/"],
      ["server/", "(decide|blocks|evidence|runs|telemetry|server)/"],
      ["file-hooks/", "(decide|blocks|compat|evidence|runs|telemetry|server|file-hooks)/"],
      ["webhook/", "(compat|runs|server|webhook)/"],
      [
        "control/",
        "(decide|blocks|compat|evidence|runs|telemetry|server|file-hooks|triggers|schedules|watches|tasks|control)/|assign\\.",
      ],
      ["cli/", "(compat|control|evidence|cli)/|offline\\."],
      ["(assign|codes|in-parts|inspect|instance|offline|path-table|plugin)\\.", ""],
    ],
    "plugins/firewall": [
      ["(errors\\.|(policy|log|engine)/)", "errors\\.|(policy|log|engine)/"],
      ["proxy/", "errors\\.|(policy|log|engine|proxy)/"],
      ["sandbox/", "errors\\.|(policy|log|engine|proxy|sandbox)/"],
      ["command/", "errors\\.|(policy|log|engine|sandbox|command)/|proxy/question"],
      ["daemon/", "errors\\.|blocks\\.|(policy|log|engine|proxy|sandbox|daemon)/"],
      ["cli/", "cli/|offline\\.|daemon/api\\."],
      ["((network-)?blocks|codes|offline|plugin)\\.", ""],
    ],
  };

/** A plugin's room is its own folder; other files are looked up above. */
function allowed(file: string): RegExp {
  const [own] = /^(plugins|examples)\/[^/]+\//.exec(file) ?? [];
  const isCliTest = /^plugins\/[^/]+\/cli\/.*\.test\.ts$/.test(file);
  return own && !isCliTest
    ? new RegExp(`^${own}`)
    : (rooms.find(([room]) => room.test(file))?.[1] ?? /^$/);
}

/** Libraries that belong to one room. */
const libraries: ReadonlyArray<readonly [library: RegExp, room: RegExp]> = [
  [/^tsyringe$/, /^daemon\/(services|main)(\/|\.)/],
  [
    /^reflect-metadata$/,
    /^(daemon\/(?!plugin-api|config)|plugins\/firewall\/proxy\/certificates\.ts$)/,
  ],
  [/^fastify$/, /^daemon\/(http|host|context|plugin-testing|plugin-api)\//],
  [/^(ink|react)(\/|$)/, /^cli\/tui\//],
  [/^zod(\/|$)/, /^daemon\/(?!plugin-api)/],
  [/^vscode(-languageclient)?(\/|$)/, /^editors\/vscode\//],
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
/** What every test may use. */
const isTestsOwn = (file: string, target: string): boolean =>
  /^tests\/support\//.test(target) && /\.test\.ts$|\/testing\//.test(file);
const resolved = (file: string, specifier: string): string =>
  posix.join(posix.dirname(file), specifier);

const files = globSync("{grammar,daemon,plugins,cli,editors,tests,bench}/**/*.{ts,tsx}")
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
      .filter((target) => !allowed(file).test(target) && !isTestsOwn(file, target))
      .map((target) => `${file} imports ${target}`),
  );
  t.deepEqual(trespasses, []);
});

test("the layers of the big plugins import downwards only", (t) => {
  const isPart = (file: string): boolean => !/\.test(-d)?\.tsx?$|\/testing\//.test(file);
  const upward = Object.entries(layers).flatMap(([plugin, rows]) =>
    files
      .filter((file) => file.startsWith(`${plugin}/`) && isPart(file))
      .flatMap((file) => {
        const row = rows.find(([part]) => new RegExp(`^${plugin}/(${part})`).test(file));
        if (row === undefined) return [`${file} is in no layer`];
        const mayImport = new RegExp(`^${plugin}/(${row[1]})`);
        return imports(file)
          .filter((specifier) => specifier.startsWith("."))
          .map((specifier) => resolved(file, specifier))
          .filter((target) => !mayImport.test(target))
          .map((target) => `${file} imports ${target}`);
      }),
  );
  t.deepEqual(upward, []);
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

test("a third-party plugin uses only public modules", (t) => {
  const outside = files.filter((file) => file.startsWith("examples/third-party-plugin/"));
  const known = /^(\.|node:|reeve\/(plugin|cli|testing)$)/;
  t.true(outside.length > 5);
  t.deepEqual(
    outside.flatMap((file) => imports(file).filter((specifier) => !known.test(specifier))),
    [],
  );
});
