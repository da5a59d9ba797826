/** What the journal is compared with: a server that writes each delivery to a file and syncs it before its answer. */
import { open } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

/** In this process; prints its port. `directory` receives the file. */
export async function serveByHand(directory: string): Promise<void> {
  const file = await open(join(directory, "deliveries"), "a");
  const server = createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on("data", (chunk: Buffer) => chunks.push(chunk));
    request.on("end", async () => {
      await file.appendFile(`${JSON.stringify({ body: Buffer.concat(chunks).toString() })}\n`);
      await file.datasync();
      response.writeHead(202, { "content-length": 2 }).end("ok");
    });
  });
  server.listen(0, "127.0.0.1", () => {
    process.stdout.write(`${(server.address() as AddressInfo).port}\n`);
  });
}
