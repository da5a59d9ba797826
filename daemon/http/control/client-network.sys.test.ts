import test from "ava";
import { run } from "../../../tests/support/child.js";
import { openControl } from "../testing/open-control.js";
import { scene } from "../testing/subjects.js";

const user = process.getuid?.() === 0 ? [] : ["--user", "--map-root-user"];
const curl = ["-s", "-w", " %{http_code}", "--unix-socket"];

test("a client in another network namespace gets 403, whatever it asks for", async (t) => {
  const { path, get, mounts } = await openControl(t, scene());
  mounts.mount("part", (_request, response) => {
    response.end("a plugin");
  });
  for (const url of ["/v1/status", "/healthz", "/metrics", "/v1/part", "/v1/events", "/missing"]) {
    const words = [...user, "--net", "--", "curl", ...curl, path, `http://reeve${url}`];
    const { stdout } = await run("unshare", words);
    t.regex(stdout, /"code":"forbidden".* 403$/, url);
  }
  t.is((await get("/v1/status")).status, 200);
});

test("several requests on one connection are answered alike", async (t) => {
  const { path } = await openControl(t, scene());
  const urls = ["http://reeve/healthz", "http://reeve/v1/status"];
  const { stdout } = await run("curl", [...curl, path, ...urls]);
  t.is(stdout.match(/ 200/g)?.length, 2);
});
