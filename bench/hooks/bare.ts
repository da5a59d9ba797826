/** What hooks are compared with: a server that does the least one could do by hand. */
import { type ChildProcess, spawn } from "node:child_process";
import { createHmac, timingSafeEqual } from "node:crypto";
import { once } from "node:events";
import fastify from "fastify";

export const SECRET = "bench-secret";

/** In this process: verifies, parses, compares, refuses. Tells its port on standard output. */
export async function serveBare(): Promise<void> {
  const app = fastify();
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.get("/hooks/plain", (request, reply) => {
    const { go } = request.query as { go?: string };
    return reply.code(go === "1" ? 200 : 403).send({ title: "Condition not met" });
  });
  app.post("/hooks/signed", (request, reply) => {
    const body = request.body as Buffer;
    const given = Buffer.from(String(request.headers["x-signature"]), "hex");
    const wanted = createHmac("sha256", SECRET).update(body).digest();
    if (given.length !== wanted.length || !timingSafeEqual(given, wanted)) {
      return reply.code(401).send({ title: "Not authenticated" });
    }
    const { ref } = JSON.parse(body.toString("utf8")) as { ref?: string };
    return reply.code(ref === "refs/heads/none" ? 200 : 403).send({ title: "Condition not met" });
  });
  const address = await app.listen({ host: "127.0.0.1", port: 0 });
  process.stdout.write(`${new URL(address).port}\n`);
}

/** The same in a process of its own. `module` calls `serveBare` when it is given the argument `bare`. */
export async function startBare(
  module: string,
): Promise<{ readonly port: number; stop(): Promise<void> }> {
  const child: ChildProcess = spawn(process.execPath, [module, "bare"], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout as NodeJS.ReadableStream, "data")) as [Buffer];
  return {
    port: Number(line.toString()),
    async stop() {
      const ended = once(child, "exit");
      child.kill();
      await ended;
    },
  };
}
