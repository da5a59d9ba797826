import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test from "ava";
import { commandEnvironment } from "./environment.js";
import { readSettings } from "./settings.js";

const host = {
  PATH: "/bin",
  GH_TOKEN: "t",
  SECRET: "s",
  USER: "u",
  SUDO_UID: "1",
  SSH_AUTH_SOCK: "/x",
  HTTPS_PROXY: "http://corporate",
  PWD: "/",
};
const environment = (options: Parameters<typeof readSettings>[0]) =>
  commandEnvironment(readSettings(options), "/home/u", host);

test("by default only known variables pass, and the proxy variables are set in both spellings", (t) => {
  const { PATH, HOME, GH_TOKEN, USER, SECRET, http_proxy, HTTPS_PROXY, SUDO_UID } = environment({});
  t.deepEqual(
    [PATH, HOME, GH_TOKEN, USER, SECRET, SUDO_UID],
    ["/bin", "/home/u", "t", "u", undefined, undefined],
  );
  t.deepEqual([http_proxy, HTTPS_PROXY], ["http://127.0.0.1:3128", "http://127.0.0.1:3128"]);
});

test("--env-all passes all variables that do not lead out, --exclude-env removes some, -e wins", (t) => {
  const { SECRET, GH_TOKEN, SSH_AUTH_SOCK, PWD, HTTPS_PROXY, USER } = environment({
    envAll: true,
    excludeEnv: ["GH_TOKEN"],
    env: ["USER=me=you"],
  });
  t.deepEqual(
    [SECRET, GH_TOKEN, SSH_AUTH_SOCK, PWD, HTTPS_PROXY, USER],
    ["s", undefined, undefined, undefined, "http://127.0.0.1:3128", "me=you"],
  );
});

test("a variable without a value is refused, and errors do not repeat a file's contents", (t) => {
  t.is(
    t.throws(() => environment({ env: ["NOVALUE"] })).message,
    "Invalid environment variable format: NOVALUE (expected KEY=VALUE)",
  );
  const directory = mkdtempSync(join(tmpdir(), "awf-env-"));
  t.teardown(() => rmSync(directory, { recursive: true }));
  const file = join(directory, ".env");
  writeFileSync(file, "# c\nexport A=\"x y\"\nB='q'\nC=\n");
  const { A, B, C } = environment({ envFile: [file] });
  t.deepEqual([A, B, C], ["x y", "q", ""]);
  writeFileSync(file, "topsecret\n");
  t.false(t.throws(() => environment({ envFile: [file] })).message.includes("topsecret"));
});
