/** `check`, `plan` and `up` report the same codes at the same ranges: for an example of every code there is. */
import { globSync, readFileSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import test, { type ExecutionContext } from "ava";
import { checkConfiguration } from "../cli/project/check-host.js";
import { folder } from "../cli/testing/reeve.js";
import { createCatalog } from "../daemon/catalog/catalog.js";
import { load } from "../daemon/config/load.js";
import type { PluginCatalog } from "../daemon/config/program.js";
import { createHost } from "../daemon/host/host.js";
import { hostProbe } from "../daemon/host/probe.js";
import { RouteMounts } from "../daemon/http/control/mounts.js";
import { createListeners } from "../daemon/http/listeners/listeners.js";
import { InvalidConfiguration } from "../daemon/reload/invalid.js";
import { createReloader } from "../daemon/reload/reloader.js";
import type { DaemonServices } from "../daemon/services/contract.js";
import { kitFor } from "../daemon/services/testing/services.js";
import { createFileService } from "../daemon/watch/files.js";
import type { Diagnostic } from "../grammar/diagnostic.js";
import {
  cases,
  catalogOf,
  type DiagnosticCase,
  everyCode,
  pluginCodes,
  withoutExample,
} from "./diagnostic-cases.js";

test("every code has an example, or a reason why it has none", (t) => {
  const covered = [...cases.map(({ code }) => code), ...Object.keys(withoutExample)];
  t.deepEqual(covered.sort(), [...everyCode].sort());
});

test("every code that a plugin reports is in its catalogue", (t) => {
  for (const [plugin, codes] of Object.entries(pluginCodes)) {
    const files = globSync(`plugins/${plugin}/{*,{daemon,file-hooks}/*}.ts`);
    const texts = files
      .filter((file) => !/\.test\.ts$|\/codes\.ts$/.test(file))
      .map((file) => readFileSync(file, "utf8"));
    const used = texts.flatMap((text) =>
      [...text.matchAll(/\breport\([^;]*?\bcode: "([a-z_]+)"/g)].map(([, code]) => code),
    );
    for (const code of used) t.true(code !== undefined && code in codes, `${plugin}.${code}`);
  }
});

for (const each of cases) {
  test.serial(`${each.code}: check, plan and up agree`, async (t) => {
    t.timeout(120_000);
    const directory = folder(t, each.files);
    const catalog = catalogOf(each);
    t.teardown(() => catalog.close());
    // Examples that name no address share the default one, so a port may be taken here.
    const ranges = (found: readonly Diagnostic[]) =>
      rangesOf(
        found.filter(({ code }) => code === each.code || code !== "E513"),
        directory,
      );
    const checked = ranges(await check(each, directory, catalog));
    const { plan, up } = await daemonIn(t, each, directory, catalog);
    t.true(
      checked.some((range) => range.startsWith(`${each.code} `)),
      checked.join("\n"),
    );
    t.deepEqual(ranges(plan), checked);
    t.deepEqual(ranges(up), checked);
  });
}

/** As `reeve check` does. */
async function check(
  { plugins }: DiagnosticCase,
  directory: string,
  catalog: PluginCatalog,
): Promise<readonly Diagnostic[]> {
  const root = join(directory, "main.reeve");
  if (plugins === "real") {
    const control = join(directory, "no.sock");
    return (await checkConfiguration(root, { host: false, control })).diagnostics;
  }
  const host = hostProbe({ environment: process.env, lenient: true });
  return (await load(root, { catalog, host })).diagnostics;
}

/** One after the other: the services of a daemon for all of them. */
let kit: Promise<DaemonServices> | undefined;
const ends: Array<() => unknown> = [];
const endings = { teardown: (end: () => unknown) => void ends.unshift(end) };
test.after.always(async () => {
  for (const end of ends) await end();
});

/** As `reeve plan` and `reeve up` do. */
async function daemonIn(
  t: ExecutionContext,
  { plugins }: DiagnosticCase,
  directory: string,
  catalog: PluginCatalog,
) {
  const root = join(directory, "main.reeve");
  kit ??= kitFor(endings);
  const services = await kit;
  const { log, clock } = services;
  const listeners = await createListeners({ log, environment: {} });
  const files = createFileService({ log, clock });
  const own = createCatalog(plugins === "real" ? {} : { builtins: [] });
  const host = createHost({
    kit: services,
    listeners,
    mounts: new RouteMounts(),
    files,
    catalog: own,
    configuration: root,
  });
  const state = join(directory, ".state");
  const reloader = await createReloader({ root, state, kit: services, host, catalog });
  t.teardown(async () => {
    await reloader.stop();
    await host.stop(AbortSignal.timeout(10_000));
    await listeners.close(AbortSignal.timeout(10_000));
    await files.close();
  });
  const { diagnostics: plan } = await reloader.plan();
  const up = await reloader.start().then(
    ({ generation, refused }) => (refused?.generation ?? generation).diagnostics,
    (thrown: unknown) => {
      if (thrown instanceof InvalidConfiguration) return thrown.diagnostics;
      throw thrown;
    },
  );
  return { plan, up };
}

const rangesOf = (diagnostics: readonly Diagnostic[], directory: string): readonly string[] =>
  diagnostics
    .map(({ code, location }) => {
      // The command shows paths from the working directory, the daemon from the configuration's.
      const file = location?.file.replace(/^(\/|\.\.\/).*/s, (path) =>
        relative(directory, resolve(path)),
      );
      return location ? `${code} ${file} ${location.start}-${location.end}` : `${code} nowhere`;
    })
    .sort();
