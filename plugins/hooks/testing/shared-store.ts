/** A store that outlives the hosts of a test. */
import type { ExecutionContext } from "ava";
import { c, definePlugin, type Store } from "reeve/plugin";
import { testPlugin } from "reeve/testing";

export async function sharedStore(t: ExecutionContext): Promise<Store> {
  const { promise, resolve } = Promise.withResolvers<Store>();
  const owner = definePlugin({
    ...{
      id: "owner",
      title: "Owner",
      api: 1,
      isolation: { default: "inline", supports: ["inline"] },
    },
    blocks: { owner: c.block({}) },
    setup: ({ store }) => {
      resolve(store);
      return { prepare: () => ({ commit: () => undefined }) };
    },
  });
  const plugin = await testPlugin(owner, { config: "owner {}\n" });
  t.teardown(() => plugin.stop());
  return promise;
}
