import test from "ava";
import { createListeners } from "./listeners/listeners.js";
import { sendRaw } from "./testing/client.js";
import { KeptLog } from "./testing/kept-log.js";
import { openControl } from "./testing/open-control.js";
import { scene } from "./testing/subjects.js";

const cases: readonly (readonly [hosts: string, accepted: boolean])[] = [
  ["Host: one.example\r\n", true],
  ["Host: [::1]:9000\r\n", true],
  ["Host:\r\n", true],
  ["", false],
  ["Host: one.example\r\nhost: two.example\r\n", false],
  ["Host: one.example\r\nHost: one.example\r\n", false],
  ["Host: one.example/../two\r\n", false],
  ["Host: one two\r\n", false],
];

const request = (hosts: string): string =>
  `GET /healthz HTTP/1.1\r\n${hosts}Connection: close\r\n\r\n`;

for (const [hosts, accepted] of cases) {
  test(`${JSON.stringify(hosts)} is ${accepted ? "accepted" : "refused"} by every server`, async (t) => {
    const listeners = await createListeners({ log: new KeptLog(), environment: {} });
    t.teardown(() => listeners.close(AbortSignal.abort()));
    let served = 0;
    const options = { listen: "127.0.0.1:0", prefix: "/", requestTimeout: 1000, owner: "x" };
    const route = await listeners.claim(options, (_request, response) => {
      served += 1;
      response.end("served");
    });
    route.activate();
    const control = await openControl(t, scene());
    const expected = accepted ? /^HTTP\/1\.1 200 / : /^HTTP\/1\.1 400 /;
    t.regex(await sendRaw(route.address, request(hosts)), expected);
    t.regex(await sendRaw(`unix:${control.path}`, request(hosts)), expected);
    t.is(served, accepted ? 1 : 0);
  });
}
