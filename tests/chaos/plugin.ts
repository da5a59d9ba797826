/** A plugin in a worker that does harm while a file says so. */
export const PLUGIN = `import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { c, definePlugin } from "reeve/plugin";

export default definePlugin({
  id: "noisy",
  title: "Noisy",
  api: 1,
  blocks: { noise: c.block({ label: c.name(), attrs: {} }) },
  async setup(ctx) {
    let reads = 0;
    return {
      prepare: async () => ({
        commit() {
          setInterval(() => {
            if (existsSync("fifo")) while (reads < 4) { reads += 1; void readFile("fifo").catch(() => undefined); }
            if (existsSync("flood")) ctx.log.info("y".repeat(3_000_000), { more: "z".repeat(3_000_000) });
          }, 5);
        },
      }),
    };
  },
});
`;
