import test from "ava";
import { eventually } from "../../../tests/support/eventually.js";
import { openControl } from "../testing/open-control.js";
import { type ControlFixture, scene } from "../testing/subjects.js";

test("a plugin brings routes of its own, below its id", async (t) => {
  const { get, mounts } = await openControl(t, scene());
  t.is((await get("/v1/hooks/x")).status, 404);
  mounts.mount("hooks", (request, response) => response.end(`hooks ${request.url}`));
  t.is((await get("/v1/hooks/x?y=1")).body, "hooks /v1/hooks/x?y=1");
  t.is((await get("/v1/hooks")).body, "hooks /v1/hooks");
  t.is((await get("/v1/hooksters")).status, 404);
  t.is((await get("/v1/status")).status, 200);
  mounts.unmount("hooks");
  t.is((await get("/v1/hooks/x")).status, 404);
});

test("a new instance's routes replace the old one's", async (t) => {
  const { get, mounts } = await openControl(t, scene());
  mounts.mount("hooks", (_request, response) => response.end("old"));
  mounts.mount("hooks", (_request, response) => response.end("new"));
  t.is((await get("/v1/hooks/")).body, "new");
});

test("the daemon's own names are not for plugins", async (t) => {
  const { mounts } = await openControl(t, scene());
  for (const name of ["status", "runs", "reload", "openapi.json"]) {
    t.throws(() => mounts.mount(name, () => undefined), { code: "reserved_name" });
  }
});

test("whoever asks a plugin while the daemon starts is answered when the configuration runs", async (t) => {
  const stage = scene();
  const [first] = stage.history.splice(0);
  const { get, mounts } = await openControl(t, stage);
  const responses = ["/v1/hooks", "/v1/nobody"].map((url) => get(url));
  t.like(JSON.parse((await get("/v1/status")).body), { state: "starting" });
  mounts.mount("hooks", (_request, response) => response.end("hooks"));
  if (first) stage.history.push(first);
  const done = Promise.all(responses);
  const [hooks, missing] = await passing(stage, done);
  t.deepEqual([hooks?.body, missing?.status], ["hooks", 404]);
});

test("where no configuration comes to run, that is what they are told", async (t) => {
  const stage = scene();
  stage.history.splice(0);
  const { get } = await openControl(t, stage);
  const answer = await passing(stage, get("/v1/hooks"));
  t.is(answer.status, 503);
  t.is(JSON.parse(answer.body).detail, "The daemon is starting: no configuration runs yet.");
});

/** Lets time pass until there is an answer. */
async function passing<Result>(
  { clock }: ControlFixture,
  answer: Promise<Result>,
): Promise<Result> {
  let isThere = false;
  const response = answer.finally(() => {
    isThere = true;
  });
  response.catch(() => undefined);
  await eventually(
    "an answer",
    () => {
      if (!isThere) clock.pass(50);
      return isThere;
    },
    { every: 1 },
  );
  return response;
}
