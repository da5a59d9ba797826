/** `webhook -secure`, with a certificate of an authority of its own. */
import { writeFile } from "node:fs/promises";
import { request } from "node:https";
import { join } from "node:path";
import test from "ava";
import { Authority } from "../../plugins/firewall/proxy/certificates.js";
import { serving } from "../../plugins/hooks/webhook/testing/running.js";
import { folder } from "../support/folder.js";

test("-secure serves HTTPS", async (t) => {
  const directory = folder(t);
  const { cert, key } = await (await Authority.create("webhook")).issue("127.0.0.1");
  await writeFile(join(directory, "cert.pem"), cert);
  await writeFile(join(directory, "key.pem"), key);
  const hooks = [{ id: "one", "execute-command": "/bin/true" }];
  const server = await serving(t, hooks, ["-secure", "-verbose", "-tls-min-version", "1.3"], {
    directory,
  });
  const { port } = server;
  const got = await new Promise((resolve, reject) => {
    const options = { host: "127.0.0.1", port, path: "/hooks/one", rejectUnauthorized: false };
    const outgoing = request({ ...options, agent: false }, (response) => {
      response.resume().on("end", () => resolve(response.statusCode));
    });
    outgoing.on("error", reject).end();
  });
  t.is(got, 200);
  t.regex(server.log, /serving hooks on https:/);
});
