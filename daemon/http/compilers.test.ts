import test from "ava";
import fastify from "fastify";
import { withFirstRequest, withFirstSchema } from "./compilers.js";

for (const [name, schemaController] of Object.entries({ withFirstSchema, withFirstRequest })) {
  test(`${name}: requests are checked as Fastify checks them`, async (t) => {
    const app = fastify({ schemaController });
    t.teardown(() => app.close());
    app.addSchema({ $id: "Order", type: "object", properties: { n: { type: "integer" } } });
    app.post(
      "/",
      {
        schema: {
          body: { $ref: "Order#" },
          querystring: { type: "object", properties: { limit: { type: "integer", default: 5 } } },
        },
      },
      ({ query, body }) => ({ query, body }),
    );
    const good = await app.inject({ method: "POST", url: "/", payload: { n: "7" } });
    t.deepEqual(good.json(), { query: { limit: 5 }, body: { n: 7 } });
    const bad = await app.inject({ method: "POST", url: "/?limit=x", payload: { n: 7 } });
    t.is(bad.statusCode, 400);
    t.is(bad.json().message, "querystring/limit must be integer");
    const again = await app.inject({ method: "POST", url: "/", payload: { n: 7 } });
    t.is(again.statusCode, 200);
  });
}

test("headers are matched in any case", async (t) => {
  const app = fastify({ schemaController: withFirstSchema });
  t.teardown(() => app.close());
  const headers = {
    type: "object",
    required: ["X-Key"],
    properties: { "X-Key": { type: "string", minLength: 3 } },
  };
  app.get("/", { schema: { headers } }, () => "ok");
  const ask = (sent: Record<string, string>) => app.inject({ url: "/", headers: sent });
  t.is((await ask({ "X-KEY": "long" })).statusCode, 200);
  t.is((await ask({ "x-key": "no" })).statusCode, 400);
  t.is((await ask({})).statusCode, 400);
});

test("a faulty schema is found before anybody asks", async (t) => {
  const app = fastify({ schemaController: withFirstSchema });
  t.teardown(() => app.close());
  app.get("/", { schema: { querystring: { type: "nonsense" } } }, () => "ok");
  const ready = app.ready().then(
    () => "ready",
    ({ code }) => code,
  );
  t.is(await ready, "FST_ERR_SCH_VALIDATION_BUILD");
});

test("answers with a schema are serialized by it", async (t) => {
  const app = fastify({ schemaController: withFirstSchema });
  t.teardown(() => app.close());
  const response = { 200: { type: "object", properties: { a: { type: "string" } } } };
  app.get("/", { schema: { response } }, () => ({ a: 1, b: 2 }));
  t.is((await app.inject("/")).body, '{"a":"1"}');
});
