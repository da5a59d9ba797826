/** Services across borders: whoever provides, and whoever uses, may run anywhere. */
import test from "ava";
import { startDaemon } from "../testing/daemon.js";
import { ISOLATIONS } from "../testing/probed.js";

const PROVIDER = `
  import { c, definePlugin } from "reeve/plugin";
  export default definePlugin({
    id: "provider", title: "Provider", api: 1,
    blocks: { offer: c.block({ label: c.name(), attrs: {} }) },
    setup(ctx) {
      ctx.services.provide("doubling", {
        double: async (value) => value * 2,
        fail: async () => { throw Object.assign(new Error("no more"), { code: "sold_out", help: "come back" }); },
      });
      return { prepare: () => ({ commit() {} }) };
    },
  });
`;
const USER = `
  import { c, definePlugin } from "reeve/plugin";
  export default definePlugin({
    id: "user", title: "User", api: 1,
    blocks: { wish: c.block({ label: c.name(), attrs: { number: c.number() } }) },
    setup: (ctx) => ({
      async prepare(next) {
        const service = ctx.services.use("doubling");
        if (!service) throw new Error("nobody doubles");
        const number = next.blocks.wish[0].values.number;
        const result = await service.double(number);
        const refusal = await service.fail().catch((thrown) => thrown.code + ", " + thrown.help + ": " + thrown.message);
        throw new Error("it is " + result + ", " + refusal);
      },
    }),
  });
`;

for (const provider of ISOLATIONS) {
  for (const user of ISOLATIONS) {
    test.serial(
      `a plugin in isolation ${user} uses what one in isolation ${provider} provides`,
      async (t) => {
        const daemon = await startDaemon(t, { files: { "p.js": PROVIDER, "u.js": USER } });
        const text = `plugin "p" { source = "./p.js"; isolation = "${provider}" }
plugin "u" { source = "./u.js"; isolation = "${user}" }\n`;
        const alone = await daemon.apply(`${text}u.wish "w" { number = 21 }\n`);
        t.is(alone.reason, "The plugin user cannot prepare: nobody doubles.");
        await daemon.apply(`${text}p.offer "o" {}\n`);
        const both = await daemon.apply(`${text}p.offer "o" {}\nu.wish "w" { number = 21 }\n`);
        t.is(
          both.reason,
          "The plugin user cannot prepare: it is 42, sold_out, come back: no more.",
        );
      },
    );
  }
}
