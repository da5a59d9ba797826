/** `ctx.http` of a plugin in the main thread. */
import { AsyncLocalStorage } from "node:async_hooks";
import type { RequestHandler } from "../http/contract.js";
import type { Log } from "../plugin-api/context.js";
import type { Http } from "../plugin-api/http.js";
import { buildApp, guardRawHandler } from "./http-app.js";
import { HTTP_DEFAULTS } from "./http-defaults.js";
import type { ListenerClaims } from "./listener-claims.js";

/** Runs the plugin's handlers in its asynchronous context, as its other code: the host calls them from its own. */
function inContext(handler: RequestHandler): RequestHandler {
  const run = AsyncLocalStorage.snapshot();
  return (request, response) => run(handler, request, response);
}

export function createHttp(plugin: string, claims: ListenerClaims, log: Log): Http {
  return {
    async serve(options, routes) {
      const { bodyLimit, ...claim } = {
        ...HTTP_DEFAULTS,
        ...options,
      };
      const { prefix } = claim;
      if (typeof routes === "object") {
        return claims.claim(claim, inContext(guardRawHandler(routes, log)), async () => undefined);
      }
      const app = await buildApp({ prefix, bodyLimit, log }, routes);
      try {
        return await claims.claim(claim, inContext(app.handler), app.close);
      } catch (thrown) {
        await app.close();
        throw thrown;
      }
    },
    async control(routes) {
      const { bodyLimit } = HTTP_DEFAULTS;
      const app = await buildApp({ prefix: `/v1/${plugin}`, bodyLimit, log }, routes);
      claims.mount(inContext(app.handler), app.close);
    },
  };
}
