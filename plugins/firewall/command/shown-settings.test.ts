/** Users share debug logs, so these must not contain secrets. */
import test from "ava";
import { readSettings } from "./settings.js";
import { redacted, shownSettings } from "./shown-settings.js";

const commands: ReadonlyArray<readonly [command: string, shown: string]> = [
  ["curl https://example.com", "curl https://example.com"],
  [`curl -H "Authorization: Bearer abc.def" x`, `curl -H "Authorization: Bearer ***REDACTED***" x`],
  [`curl -H 'authorization: abc' x`, `curl -H 'authorization: ***REDACTED***' x`],
  ["API_TOKEN=abc run", "API_TOKEN=***REDACTED*** run"],
  [`export MY_PASSWORD="a b"; run`, "export MY_PASSWORD=***REDACTED***; run"],
  ["aws --secret-access-key=abc", "aws --secret-access-key=***REDACTED***"],
  ["git clone https://ada:pw@host/x", "git clone https://***REDACTED***@host/x"],
  ["echo ghp_0123456789abcdef", "echo ***REDACTED***"],
];
for (const [command, shown] of commands)
  test(`${command} is shown as ${shown}`, (t) => {
    t.is(redacted(command), shown);
  });

test("settings are shown as JSON without the environment", (t) => {
  const settings = readSettings({ allowDomains: "example.com", env: ["API_KEY=hidden"] } as never);
  const text = shownSettings(settings, ["sh", "-c", "TOKEN=hidden run"]);
  t.like(JSON.parse(text), {
    allowedDomains: ["example.com"],
    agentCommand: "sh -c TOKEN=***REDACTED*** run",
  });
  t.notRegex(text, /hidden/);
});
