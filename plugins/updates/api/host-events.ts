/** Webhooks of code hosts: `POST /host_events`, signed with the secret of the `host` block. */
import { eventIn } from "../hosts/events/read.js";
import { isSignedDelivery } from "../hosts/events/signature.js";
import type { BranchPorts } from "../pipeline/inbound/branch-changes.js";
import { handleEvent } from "../pipeline/inbound/handle-event.js";
import type { Ports } from "../pipeline/ports.js";
import { ApiError } from "./errors.js";
import type { FastifyInstance } from "./fastify.js";

/** Bytes; the limit of the code hosts themselves. */
const bodyLimit = 25 * 1024 * 1024;

export function hostEventRoutes(
  app: FastifyInstance,
  ports: BranchPorts &
    Pick<Ports, "directory" | "enqueueFollow" | "flushed" | "hostReported" | "isShared">,
): void {
  app.removeAllContentTypeParsers();
  app.addContentTypeParser("*", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
  app.post("/", { bodyLimit }, async (request, reply) => {
    const { host } = ports.settings;
    const secret = host?.webhookSecret?.reveal();
    if (!host || secret === undefined)
      throw new ApiError(404, "Deliveries are disabled: no `webhook_secret` is configured.", {
        code: "not_found",
      });
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    if (!isSignedDelivery(host.kind, secret, { headers: request.headers, body }))
      throw new ApiError(401, "The signature is missing or invalid.", {
        code: "unauthorized",
      });
    const event = eventIn(
      host.kind,
      request.headers,
      jsonOf(request.headers["content-type"], body),
    );
    // Fails if the store is unreachable; the code host then delivers again.
    if (event && ports.isShared) await ports.repos.byHost(event.repo);
    if (event) handleEvent(ports, event);
    reply.code(202);
    return { taken: event?.kind ?? null };
  });
}

/** With the other content type, hosts send a form with the JSON in `payload`. */
function jsonOf(type: string | undefined, body: Buffer): unknown {
  const text = body.toString("utf8");
  const json = /x-www-form-urlencoded/.test(type ?? "")
    ? (new URLSearchParams(text).get("payload") ?? "")
    : text;
  try {
    return JSON.parse(json);
  } catch (cause) {
    throw new ApiError(400, `The delivery is not JSON: ${(cause as Error).message}.`, {
      code: "invalid_json",
    });
  }
}
