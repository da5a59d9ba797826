/** A language server for tests: it echoes messages and exits on request. */
import { frameOf, RpcFrameReader } from "../proxy/frames.js";

const reader = new RpcFrameReader();
const send = (message: object): void => {
  process.stdout.write(frameOf({ jsonrpc: "2.0", ...message }));
};

process.stdin.on("data", (chunk: Buffer) => {
  for (const { body } of reader.push(chunk)) {
    const { id, method, params } = JSON.parse(body.toString());
    if (method === "exit") process.exit(0);
    if (method === "test/exit") process.exit(params.code);
    if (method === "test/garbage") process.stdout.write("this is no message");
    if (method === "test/echo") send({ id, result: params });
    else if (id !== undefined && method !== undefined) send({ id, result: { pid: process.pid } });
    send({ method: "test/heard", params: { pid: process.pid, method, params } });
  }
});
process.stdin.on("end", () => process.exit(7));
