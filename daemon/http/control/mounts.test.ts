import test from "ava";
import { openControl } from "../testing/open-control.js";
import { scene } from "../testing/subjects.js";

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
