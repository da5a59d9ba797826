// `npm start`: runs `reeve up` with the quickstart and prints requests to try once it is ready.
import { spawn } from "node:child_process";
import { createHmac } from "node:crypto";
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";

process.chdir(join(dirname(fileURLToPath(import.meta.url)), ".."));

const example = "examples/quickstart";
const payload = `${example}/payloads/github-push.json`;
const secret = readFileSync(`${example}/demo-secret.txt`, "utf8").trim();
const signature = createHmac("sha256", secret).update(readFileSync(payload)).digest("hex");

const toTry = `
A push to GitHub, signed as GitHub would sign it, from this directory:
  curl -i http://127.0.0.1:9000/hooks/github -H 'Content-Type: application/json' -H 'X-GitHub-Event: push' -H 'X-Hub-Signature-256: sha256=${signature}' --data-binary @${payload}
What it ran:
  npx reeve runs

`;

const daemon = spawn(
  process.execPath,
  ["dist/bundle/reeve.js", "up", example, "--log-format", "text", ...process.argv.slice(2)],
  { stdio: ["inherit", "pipe", "inherit"] },
);
let greeting = "";
daemon.stdout.on("data", (chunk) => {
  process.stdout.write(chunk);
  if (greeting === undefined) return;
  greeting += chunk;
  if (!greeting.includes("Ctrl-C")) return;
  greeting = undefined;
  process.stdout.write(toTry);
});
// The terminal sends Ctrl-C to the daemon too; this process only waits for it to end in order.
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"]) {
  process.on(signal, () => {
    if (signal !== "SIGINT" || !process.stdin.isTTY) daemon.kill(signal);
  });
}
daemon.on("exit", (code, signal) => {
  process.exitCode = signal ? 128 + 15 : (code ?? 1);
});
