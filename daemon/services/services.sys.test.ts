import test from "ava";
import { CleanupStack } from "./cleanup-stack.js";
import { JobService } from "./jobs/job-service.js";
import { RunStore } from "./runs/run-store.js";
import { SERVICES } from "./services.js";
import { Database } from "./store/database.js";
import { kitFor } from "./testing/services.js";

const instance = (plugin: string) => ({ plugin, generation: () => 1, configuration: "/" });

test("every class resolves, one a daemon, and one cleanup stack a plugin instance", async (t) => {
  const kit = await kitFor(t);
  const one = kit.openScope(instance("one")).scope;
  const other = kit.openScope(instance("other")).scope;
  for (const service of [...SERVICES, Database, JobService, RunStore]) {
    const resolved = one.resolve<object>(service);
    t.true(resolved instanceof service);
    t.is(resolved, other.resolve<object>(service), service.name);
  }
  t.is(one.resolve(CleanupStack), one.resolve(CleanupStack));
  t.not(one.resolve(CleanupStack), other.resolve(CleanupStack));
});

test("closing the services closes the instances that are still open, before anything they use", async (t) => {
  const kit = await kitFor(t);
  const { scope } = kit.openScope(instance("one"));
  scope.resolve(CleanupStack).defer("last write", async () => {
    await kit.records("test").set("written", true);
    t.true(await kit.records("test").get("written"));
  });
  await kit.close();
  t.plan(1);
});
