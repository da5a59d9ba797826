/** `node:http` without the clients of HTTP and WebSocket that Node brings along. */

/** Names that `node:http` lends from Node's own undici, and loads it for. */
const LENT = ["WebSocket", "CloseEvent", "MessageEvent"] as const;

/**
 * An import of `node:http` reads every one of its names, and so loads undici, which takes longer than Node itself needs to
 * start. Where they are only inherited, they load on first use, as `http.WebSocket`. To be called before
 * anything imports `node:http`; without effect on a Node that does not lend them.
 */
export function lightenHttp(): void {
  const http: object = process.getBuiltinModule("node:http");
  const lent = Object.create(Object.getPrototypeOf(http)) as object;
  for (const name of LENT) {
    const property = Object.getOwnPropertyDescriptor(http, name);
    if (property?.get === undefined || !property.configurable) continue;
    Object.defineProperty(lent, name, property);
    Reflect.deleteProperty(http, name);
  }
  Object.setPrototypeOf(http, lent);
}
