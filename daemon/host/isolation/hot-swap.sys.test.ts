/** New code takes over from old code while requests keep coming; none is lost. */
import { writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import test from "ava";
import { eventually } from "../../../tests/support/eventually.js";
import { ask } from "../../http/testing/client.js";
import { PROBE } from "../testing/probe.js";
import { ISOLATIONS, probe } from "../testing/probed.js";

for (const isolation of ISOLATIONS) {
  test.serial(`code in isolation ${isolation} is exchanged without losing a request`, async (t) => {
    const probed = await probe(t, isolation);
    const address = await probed.address();
    await probed.apply(`listen = "${address}"`);
    const agent = new Agent({ keepAlive: true, maxSockets: 2 });
    t.teardown(() => agent.destroy());
    const answers = new Map<string, number>();
    let going = true;
    t.teardown(() => {
      going = false;
    });
    const requests = [1, 2].map(async () => {
      while (going) {
        const { status, body } = await ask(address, "/probe/reply", { agent });
        const answer = `${status} ${body.split(" ")[0]}`;
        answers.set(answer, (answers.get(answer) ?? 0) + 1);
      }
    });
    const seen = (answer: string) => eventually(answer, () => answers.has(answer));
    await seen("200 hello");
    for (const word of ["newer", "newest"]) {
      const code = PROBE.replace("return block.values.reply +", `return "${word}" +`);
      writeFileSync(join(probed.daemon.folder, "probe.js"), code);
      await probed.daemon.host.restart("probe");
      await seen(`200 ${word}`);
    }
    going = false;
    await Promise.all(requests);
    t.deepEqual([...answers.keys()], ["200 hello", "200 newer", "200 newest"]);
    t.is(probed.daemon.status("probe")?.state, "running");
  });
}
