/** The control API's own description, made from the schemas of its routes. */
import swagger from "@fastify/swagger";
import type { FastifyInstance } from "fastify";

/** Has to come before the routes: it looks at each as it is added. */
export async function describeRoutes(app: FastifyInstance, version: string): Promise<void> {
  await app.register(swagger, {
    openapi: {
      openapi: "3.1.0",
      info: {
        title: "Reeve control API",
        version,
        description: "What moves a running daemon, on its control socket.",
      },
      servers: [{ url: "http://localhost", description: "The unix socket, whatever the host." }],
    },
    refResolver: { buildLocalReference: (json) => String(json.$id) },
  });
}
