/** Hooks whose commands run in a sandbox of the firewall plugin, over the service that plugins share. */
import test from "ava";
import { run, site } from "../../daemon/main/testing/daemon.js";

test("a hook's command runs in the sandbox that it names, with its own environment and input, not the daemon's", async (t) => {
  t.timeout(120_000);
  const project = await site(
    t,
    `hook_server "main" { listen = "127.0.0.1:0" }
sandbox "a" {
  allow = ["allowed.test"]
}
hook "x" {
  run = ["sh", "-c", "cat; echo $WORD $TOKEN $REEVE_HOOK [$DAEMON]; curl -s -o /dev/null -w '%{http_code}' http://denied.test/; exit 3"]
  stdin = "input\\n"
  env = { WORD = query.word, TOKEN = secret("env:TOKEN") }
  run_in = sandbox.a
  response {
    include_output = true
    include_output_on_error = true
    exit_status = { "3" = 418 }
  }
}
`,
  );
  const daemon = await run(t, project, { TOKEN: "hunter22", DAEMON: "daemon" });
  const [{ address } = { address: "" }] = daemon.said.listeners as ReadonlyArray<{
    address: string;
  }>;
  const answer = await fetch(`http://${address}/hooks/x?word=hello`, { method: "POST" });
  const text = await answer.text();
  t.is(answer.status, 418, text);
  t.true(text.startsWith("input\nhello hunter22 x []\n"), text);
  t.regex(text, /403$/);
});
