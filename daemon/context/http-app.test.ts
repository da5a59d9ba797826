/** What a caller is told when a plugin's route fails. */
import test from "ava";
import { ReeveError } from "../errors.js";
import type { Log } from "../plugin-api/context.js";
import { buildApp } from "./http-app.js";

test("a database that is away is said to be, and nothing is logged a second time", async (t) => {
  const lines: string[] = [];
  const log: Log = {
    ...{ debug: () => {}, info: () => {}, warn: () => {} },
    error: (message: string) => void lines.push(message),
    child: () => log,
  };
  const app = await buildApp({ prefix: "/", bodyLimit: 1024, log }, (server) => {
    server.get("/away", () => {
      const help = "Start it; nothing needs to be restarted.";
      throw new ReeveError("store_away", "The database cannot be reached: cut off.", { help });
    });
    server.get("/broken", () => {
      throw new ReeveError("disk_full", "The database has no room left.");
    });
  });
  t.teardown(() => app.close());
  const away = await app.inject({ url: "/away" });
  t.is(away.statusCode, 503);
  t.is(away.headers["retry-after"], "1");
  t.like(JSON.parse(away.body), {
    code: "not_ready",
    detail: "The database cannot be reached: cut off.",
    help: "Start it; nothing needs to be restarted.",
  });
  t.deepEqual(lines, []);
  t.is((await app.inject({ url: "/broken" })).statusCode, 500);
  t.deepEqual(lines, ["A request failed: The database has no room left."]);
});
