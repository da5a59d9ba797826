/** What hooks are compared with besides: a server that does the least one could do by hand. */
import { createHmac, timingSafeEqual } from "node:crypto";
import fastify from "fastify";
import { SECRET } from "./cases.js";

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
