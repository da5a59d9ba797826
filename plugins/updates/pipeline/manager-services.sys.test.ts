/** What the settings allow holds for lookups and tools. */
import { once } from "node:events";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import type { PluginContext } from "reeve/plugin";
import type { UpdatesSettings } from "../blocks/settings.js";
import type { RegistryRequest } from "../registries/contract.js";
import { closed, urlOf } from "../testing/server.js";
import { ManagerServices } from "./manager-services.js";

const refused = {
  code: "registry_refused",
  message: /list its host or network in `allow_registries`/,
};

test("repositories reach private addresses, and tools read them, only where settings list them", async (t) => {
  let requests = 0;
  const server = createServer((_request, response) => {
    requests += 1;
    response.end("package");
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => closed(server));
  const directory = await mkdtemp(join(tmpdir(), "reeve-tool-"));
  t.teardown(() => rm(directory, { recursive: true, force: true }));
  const url = urlOf(server);
  await writeFile(join(directory, "yarn.lock"), `left-foo@1:\n  resolved "${url}/left-foo.tgz"\n`);

  let ran = 0;
  const context = {
    clock: { now: () => Date.now(), sleep: async () => undefined },
    processes: { run: async () => ({ ran: ++ran }) },
    directories: { temporary: directory, cache: directory },
  } as unknown as PluginContext;
  const settings = {
    ...{ registries: [], unsafe: [], patterns: [], listen: "127.0.0.1:1", root: directory },
    allowedRegistries: [] as readonly string[],
  } as unknown as UpdatesSettings & { allowedRegistries: readonly string[] };
  const cache = { read: async () => undefined, write: () => undefined };
  const services = new ManagerServices(context, () => settings, cache as never);
  t.teardown(() => services.close());
  const question = {
    url: `${url}/left-foo`,
    purpose: "test",
    digest: ({ body }) => new TextDecoder().decode(body),
  } satisfies RegistryRequest<string>;
  const { signal } = new AbortController();
  const tool = () => services.tools(signal).run({ argv: ["yarn", "install"], cwd: directory });

  await t.throwsAsync(services.lookup.fetch(question), refused);
  await t.throwsAsync(services.lookup.references(`${url}/acme/lib.git`), refused);
  await t.throwsAsync(tool(), refused);
  t.deepEqual([requests, ran], [0, 0]);

  settings.allowedRegistries = ["127.0.0.0/8"];
  services.refresh();
  t.is(await services.lookup.fetch(question), "package");
  await tool();
  t.deepEqual([requests, ran], [1, 1]);
});
