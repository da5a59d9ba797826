/** The `http` gift for a plugin in the main thread. */
import type { Log } from "../plugin-api/context.js";
import type { Http } from "../plugin-api/world.js";
import { buildApp } from "./http-app.js";
import { HTTP_DEFAULTS } from "./http-defaults.js";
import type { ListenerClaims } from "./listener-claims.js";

export function createHttp(plugin: string, doors: ListenerClaims, log: Log): Http {
  return {
    async serve(options, routes) {
      const { listen, prefix, bodyLimit, requestTimeout, headerLimit, tls } = {
        ...HTTP_DEFAULTS,
        ...options,
      };
      const app = await buildApp({ prefix, bodyLimit, log }, routes);
      try {
        const door = { listen, prefix, requestTimeout, headerLimit, tls };
        return await doors.claim(door, app.handler, app.close);
      } catch (thrown) {
        await app.close();
        throw thrown;
      }
    },
    async control(routes) {
      const { bodyLimit } = HTTP_DEFAULTS;
      const app = await buildApp({ prefix: `/v1/${plugin}`, bodyLimit, log }, routes);
      doors.mount(app.handler, app.close);
    },
  };
}
