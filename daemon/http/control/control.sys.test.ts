import test from "ava";
import { controlCases } from "../testing/control-cases.js";
import { type Described, deviations } from "../testing/described.js";
import { openControl } from "../testing/open-control.js";
import { scene } from "../testing/subjects.js";

for (const [title, { route, path, body, given, status, has, calls }] of Object.entries(
  controlCases,
)) {
  test(`${route}: ${title}`, async (t) => {
    const stage = scene();
    given?.(stage);
    const { get, post, path: socket } = await openControl(t, stage);
    const [method, template = ""] = route.split(" ");
    const url = path ?? template;
    const answer = await (method === "GET" ? get(url) : post(url, body));
    t.is(answer.status, status, answer.body);
    const document = JSON.parse((await get("/v1/openapi.json")).body) as Described;
    t.deepEqual(deviations(document, route, answer), []);
    if (has !== undefined) {
      const expected = JSON.parse(JSON.stringify(has).replace("/placeholder", socket));
      t.like(JSON.parse(answer.body), expected);
    }
    if (calls !== undefined) t.deepEqual(stage.calls, calls);
  });
}

test("every route is described, with an answer of each kind that the table above has seen", async (t) => {
  const { get } = await openControl(t, scene());
  const document = JSON.parse((await get("/v1/openapi.json")).body) as Described;
  t.is(document.openapi, "3.1.0");
  const described = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => {
      t.truthy(operation.operationId);
      t.truthy(operation.summary);
      return `${method.toUpperCase()} ${path}`;
    }),
  );
  const seen = new Set(Object.values(controlCases).map(({ route }) => route));
  t.deepEqual(described.sort(), [...seen, "GET /v1/events"].sort());
});
