/** The proxy of one sandbox: what answers on which of its sockets. */
import type { Server, Socket } from "node:net";
import type { NamespaceSockets } from "../engine/namespace.js";
import { serveConnect } from "./connect.js";
import { arrive, type ProxyContext } from "./context.js";
import { DnsDoor, type DnsOptions } from "./dns.js";
import { serveHost } from "./host-door.js";
import { HttpDoor } from "./http.js";
import { InterceptDoor } from "./intercept-door.js";
import { TunnelDoor } from "./tunnel.js";

export interface Proxy {
  /** Cuts what is still open, which writes its records. */
  close(): Promise<void>;
}

/** More connections at a time than this are refused. */
const mostConnections = 4096;

/** Serves until closed. */
export function serveProxy(
  sockets: NamespaceSockets,
  context: ProxyContext,
  dns: DnsOptions,
): Proxy {
  const open = new Set<Socket>();
  const door = new DnsDoor(context, dns);
  const http: HttpDoor = new HttpDoor(context, (asked, client, head, arrival) => {
    void serveConnect(context, { http, tunnel }, asked, client, head, arrival);
  });
  const intercept = context.interception && new InterceptDoor(context.interception, http);
  const tunnel = new TunnelDoor(context, intercept?.open);

  const serve = (server: Server, each: (client: Socket) => void) => {
    // Half-closes are passed on, not answered by closing.
    Object.assign(server, { allowHalfOpen: true, noDelay: true });
    server.on("connection", (client: Socket) => {
      if (open.size >= mostConnections) return client.resetAndDestroy();
      open.add(client);
      client.once("close", () => open.delete(client));
      each(client);
    });
  };
  const toHost = (client: Socket, port: number): boolean => {
    const address = client.localAddress?.replace(/^::ffff:/, "");
    if (!context.hostAccess || address !== context.hostAccess.address) return false;
    void serveHost(client, port, context);
    return true;
  };

  serve(sockets.proxy, (client) =>
    http.accept(client, { kind: "explicit" }, arrive(client, context)),
  );
  serve(sockets.web, (client) => {
    if (toHost(client, 80)) return;
    const arrival = arrive(client, context);
    http.accept(client, { kind: "transparent", address: arrival.originalAddress }, arrival);
  });
  serve(sockets.tls, (client) => {
    if (!toHost(client, 443)) void tunnel.serve({ client, arrival: arrive(client, context) });
  });
  for (const [port, server] of sockets.host) serve(server, (client) => toHost(client, port));
  for (const [server, listener] of sockets.dnsTcp) {
    serve(listener, (client) => door.serveTcp(client, server));
  }
  for (const [server, socket] of sockets.dnsUdp) {
    socket.on("message", (message, { address, port }) => {
      void door.answer(message, server, { address, port }, false).then((answer) => {
        if (answer) socket.send(answer, port, address, () => {});
      });
    });
    socket.on("error", () => {});
  }

  return {
    async close() {
      http.close();
      const closing = [...open].map(
        (client) => new Promise((resolve) => client.once("close", resolve)),
      );
      for (const client of open) client.destroy();
      await Promise.all(closing);
      // The records of spliced pairs follow the close of their second half.
      await new Promise((resolve) => setImmediate(resolve));
    },
  };
}
