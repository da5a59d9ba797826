/** WebSocket requests: decided like any request and piped once the origin agrees. */
import type { IncomingMessage } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { Verdict } from "../policy/policy.js";
import { closeGracefully } from "./close-gracefully.js";
import { type Arrival, decisions, type ProxyContext, waiting } from "./context.js";
import { denial, denialBytes, refusalStatus } from "./denial.js";
import { forward, headBytes, openUpstream } from "./open-upstream.js";
import { decideOrAsk, type RequestDecision } from "./request-decision.js";
import { clientLeft, recordClientLeft, recordRequest, resultOf } from "./request-record.js";
import type { RequestOrigin } from "./request-target.js";
import { splice } from "./splice.js";

/** Bytes of the other protocol to buffer until the origin agrees. */
const mostEarly = 64 * 1024;

/** Never rejects. */
export async function serveUpgrade(
  context: ProxyContext,
  incoming: IncomingMessage,
  client: Duplex,
  head: Buffer,
  { origin, arrival }: { readonly origin: RequestOrigin; readonly arrival: Arrival },
): Promise<void> {
  client.on("error", () => client.destroy());
  const deciding = decideOrAsk(
    context,
    incoming,
    origin,
    () => waiting(client, arrival.requester, false),
    true,
  );
  const decision = deciding instanceof Promise ? await deciding : deciding;
  if (decision.kind === "stop") return refuse(context, incoming, client, arrival, decision);
  const way = await openUpstream(context, decision.target);
  if (way.kind === "unopened") {
    const { host, url } = decision.target;
    return refuse(context, incoming, client, arrival, { ...way, host, url });
  }
  if (client.destroyed) return recordClientLeft(context, incoming, arrival, way, decision);
  const { target, verdict } = decision;
  const upstream = forward(context, incoming, target, way, true);
  const finish = (
    status: number,
    bytes: { bytesSent?: number; bytesReceived?: number },
    refusal?: Verdict,
  ) =>
    recordRequest(context, incoming, arrival, {
      host: target.host,
      url: target.url,
      status: refusal ? refusalStatus(refusal) : status,
      decision: refusal ? decisions.denied : decisions.forwarded,
      verdict: refusal ?? verdict,
      ...bytes,
    });
  const left = () => upstream.destroy();
  // Keeps reading while the origin decides, to notice when the client leaves.
  const early = [head];
  let room = mostEarly;
  const buffer = (bytes: Buffer) => {
    early.push(bytes);
    room -= bytes.length;
    if (room < 0) client.pause();
  };
  client.once("close", left).once("end", left).on("data", buffer).resume();
  upstream.once("upgrade", (response, socket, rest) => {
    client.off("close", left).off("end", left).off("data", buffer).pause();
    client.write(headBytes(response));
    if (rest.length > 0) client.write(rest);
    for (const bytes of early) if (bytes.length > 0) socket.write(bytes);
    const { meter } = decision;
    context.track(
      splice(client as Socket, socket, meter).then(({ refusal, ...bytes }) =>
        finish(101, bytes, refusal),
      ),
    );
  });
  upstream.once("response", (response) => {
    if (client.destroyed) {
      left();
      return finish(clientLeft, {});
    }
    client.write(headBytes(response));
    // Drops what the client sends in the other protocol.
    client.off("data", buffer).resume();
    response.on("error", () => client.destroy()).pipe(client);
    response.once("close", () => {
      finish(response.statusCode ?? 502, {});
      closeGracefully(client, "");
    });
  });
  upstream.once("error", () => {
    closeGracefully(client, "HTTP/1.1 502 Bad Gateway\r\nconnection: close\r\n\r\n");
    finish(502, {});
  });
  upstream.end();
}

function refuse(
  context: ProxyContext,
  incoming: IncomingMessage,
  client: Duplex,
  arrival: Arrival,
  { status, host, url, verdict }: Omit<Extract<RequestDecision, { kind: "stop" }>, "kind">,
): void {
  recordRequest(context, incoming, arrival, {
    host,
    url,
    status,
    decision: resultOf(status),
    verdict,
  });
  closeGracefully(client, denialBytes(denial(host, verdict, incoming.headers.accept, status)));
}
