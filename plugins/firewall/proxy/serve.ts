/** The proxy of one sandbox: connects its sockets to handlers. */
import type { Server, Socket } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";
import type { NamespaceSockets } from "../engine/namespace.js";
import { AddressNames } from "./address-names.js";
import { serveCaptured } from "./captured.js";
import { serveConnect } from "./connect.js";
import { arrive, type ProxyContext, type ProxySettings, unmappedAddress } from "./context.js";
import { type DnsOptions, DnsServer } from "./dns-server.js";
import { serveHost } from "./host-forwarder.js";
import { HttpHandler, type OnConnect } from "./http-handler.js";
import { TlsInterceptor } from "./tls-interceptor.js";
import { TunnelHandler } from "./tunnel.js";
import { WebHandler } from "./web-handler.js";

export interface Proxy {
  /** Disconnects open connections, which writes their records. */
  close(): Promise<void>;
}

/** Closing does not wait longer for a connection that is still opening. */
const longestCloseMs = 250;
/** Of one sandbox; further connections are reset. */
const mostConnections = 8192;

/** Serves until `close`. */
export function serveProxy(
  sockets: NamespaceSockets,
  settings: ProxySettings,
  dns: DnsOptions,
): Proxy {
  const open = new Set<Socket>();
  const working = new Set<Promise<void>>();
  const track = (work: Promise<void>): void => {
    working.add(work);
    void work.finally(() => working.delete(work));
  };
  const context: ProxyContext = { ...settings, track };
  const names = new AddressNames();
  const dnsServer = new DnsServer(context, dns, names);
  const onConnect: OnConnect = (incoming, client, head, arrival) => {
    track(serveConnect(context, { http, tunnel }, incoming, client, head, arrival));
  };
  const http = new HttpHandler(context, onConnect);
  const web = new WebHandler(context, http, onConnect);
  const intercept = context.interception && new TlsInterceptor(context, context.interception, http);
  const tunnel = new TunnelHandler(context, intercept?.open);

  const serve = (server: Server, each: (client: Socket) => void) => {
    // The proxy forwards half-closes instead of answering them with a close.
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
    const { hostAccess, credentials } = context;
    if (!hostAccess || address !== hostAccess.address) return false;
    const isRead = (host: string) => credentials?.covers({ protocol: "http", host, port });
    if ([...hostAccess.names].some(isRead)) {
      web.accept(client, { kind: "transparent", address, port });
      return true;
    }
    track(serveHost(client, port, context));
    return true;
  };

  serve(sockets.proxy, (client) => web.accept(client, { kind: "explicit" }));
  serve(sockets.web, (client) => {
    if (toHost(client, 80)) return;
    web.accept(client, { kind: "transparent", address: unmappedAddress(client.localAddress) });
  });
  serve(sockets.tls, (client) => {
    if (toHost(client, 443)) return;
    track(tunnel.serve({ client, port: 443, arrival: arrive(client, context) }));
  });
  for (const [port, server] of sockets.ports) {
    serve(server, (client) => {
      if (!toHost(client, port)) serveCaptured(context, { names, web, tunnel }, client, port);
    });
  }
  for (const [port, server] of sockets.host) serve(server, (client) => toHost(client, port));
  for (const [server, listener] of sockets.dnsTcp) {
    serve(listener, (client) => dnsServer.serveTcp(client, server));
  }
  for (const [server, socket] of sockets.dnsUdp) {
    socket.on("message", (message, { address, port }) => {
      void dnsServer.answer(message, server, { address, port }, false).then((answer) => {
        if (answer) socket.send(answer, port, address, () => {});
      });
    });
    socket.on("error", () => {});
  }

  return {
    async close() {
      http.close();
      for (const client of open) client.destroy();
      const closing = new AbortController();
      const waited = sleep(longestCloseMs, undefined, { signal: closing.signal }).catch(() => {});
      await Promise.race([Promise.all(working), waited]);
      closing.abort();
    },
  };
}
