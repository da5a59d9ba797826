import test from "ava";
import { blockPool } from "../../../../tests/support/blocked-pool.js";
import { within } from "../../../../tests/support/eventually.js";
import { contextOf, kitFor } from "../../testing/services.js";

for (const commands of ["fastest", "plain"] as const) {
  test.serial(
    `a command starts and ends while the process's pool is blocked (${commands})`,
    async (t) => {
      const { processes } = contextOf(await kitFor(t, { commands })).context;
      await processes.run({ argv: ["true"] });
      const release = blockPool(t);
      const argv = ["sh", "-c", "cat; echo said"];
      const result = await within("its end", processes.run({ argv, stdin: "heard " }), 20_000);
      t.like(result, { outcome: "exited", exitCode: 0 });
      t.is(Buffer.from(result.stdout).toString(), "heard said\n");
      release();
    },
  );
}
