/** A client that never completes its request head loses its connection. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer } from "node:net";
import test from "ava";
import { HttpHandler } from "./http-handler.js";

const unused = () => {
  throw new Error("asked although no request came");
};
const context = {
  policy: unused,
  dialler: { dial: unused },
  record: unused,
  requester: unused,
  track: unused,
};
const arrival = {
  clientIp: "-",
  clientPort: 1,
  originalAddress: "-",
  requester: undefined,
  since: 0,
};

for (const sent of ["", "GET / HT", "GET / HTTP/1.1\r\nHost: allowed.test\r\n"]) {
  test(`after ${JSON.stringify(sent)} it is closed with 408`, async (t) => {
    const handler = new HttpHandler(context, unused, 50);
    const server = createServer({ allowHalfOpen: true }, (accepted) =>
      handler.accept(accepted, { kind: "explicit" }, arrival),
    ).listen(0, "127.0.0.1");
    await once(server, "listening");
    const client = connect({ host: "127.0.0.1", port: (server.address() as AddressInfo).port });
    client.write(sent);
    const received: Buffer[] = [];
    for await (const bytes of client) received.push(bytes as Buffer);
    t.regex(Buffer.concat(received).toString(), /^HTTP\/1\.1 408 /);
    handler.close();
    server.close();
  });
}
