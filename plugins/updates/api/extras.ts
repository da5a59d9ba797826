/** Routes beyond the reference: events, badges, the OpenAPI description. */
import type { Ports } from "../pipeline/ports.js";
import { compatibilityBadge, imageOf, statusBadge } from "./badges.js";
import type { ApiReply, FastifyInstance } from "./fastify.js";
import { openApi } from "./openapi.js";
import { type ApiRequest, callerOf } from "./request.js";

export function extraRoutes(
  app: FastifyInstance,
  ports: Pick<Ports, "access" | "configs" | "directory" | "host" | "listen" | "pulls" | "url">,
): void {
  app.get("/openapi.json", () => openApi(ports.url));
  app.get("/events", async (request, reply) => {
    const caller = await callerOf(ports, request);
    const accounts = await ports.directory.accounts(ports.host, caller);
    const logins = new Set(accounts.map(({ login }) => login));
    reply.headers({ "content-type": "text/event-stream", "cache-control": "no-store" });
    return reply.send(
      ports.listen(
        ({ repo }) => typeof repo === "string" && logins.has(repo.split("/")[0] ?? ""),
        lastOf(request),
      ),
    );
  });
  for (const [path, make] of [
    ["/badges/status", statusBadge],
    ["/badges/compatibility_score", compatibilityBadge],
  ] as const) {
    app.get(path, async (request: ApiRequest, reply: ApiReply) => {
      const badge = await make(ports, request);
      reply.headers({ "cache-control": "no-cache" });
      const wantsJson = /json/.test(String(request.headers.accept ?? ""));
      if (wantsJson) return { status: badge.status, colour: badge.colour };
      reply.headers({ "content-type": "image/svg+xml; charset=utf-8" });
      return reply.send(imageOf(badge));
    });
  }
}

/** The id of the last event that a reconnecting client received, from any daemon. */
function lastOf({ headers }: ApiRequest): number | undefined {
  const last = Number(headers["last-event-id"] ?? Number.NaN);
  return Number.isSafeInteger(last) && last >= 0 ? last : undefined;
}
