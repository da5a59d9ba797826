/** Options of the existing tool are the same here, have another name, or are explained. */
import { readFileSync } from "node:fs";
import test from "ava";
import { foreignOptions, nameOf } from "./foreign-options.js";
import { readCommandLine, type WrittenOptions } from "./options.js";
import { readSettings } from "./settings.js";

const read = (...argv: string[]) => readCommandLine([...argv, "--", "true"], "1.2.3");

function optionsOf(...argv: string[]): WrittenOptions {
  const line = read(...argv);
  if ("exitCode" in line) throw new Error(line.text);
  return line.options;
}

const same: ReadonlyArray<readonly [theirs: string[], ours: string[]]> = [
  [
    ["-d", "a.test", "-d", "b.test,c.test"],
    ["--allow-domains", "a.test,b.test,c.test"],
  ],
  [
    ["--memory-limit", "6g", "--pids-limit", "1000"],
    ["--memory", "6g", "--pids", "1000"],
  ],
  [
    ["--agent-timeout", "90"],
    ["--timeout", "90m"],
  ],
];
for (const [theirs, ours] of same) {
  test(`${theirs.join(" ")} is ${ours.join(" ")}`, (t) => {
    const specs = [theirs, ours].map((argv) => readSettings(optionsOf(...argv)).spec);
    t.deepEqual(specs[0], specs[1]);
  });
}

test("-b and -k are --build-local and --keep-containers", (t) => {
  t.deepEqual(optionsOf("-b", "-k"), optionsOf("--build-local", "--keep-containers"));
});

test("service ports of the host may be those of databases and need no other option", (t) => {
  const { spec } = readSettings(optionsOf("--allow-host-service-ports", "5432,6379"));
  t.deepEqual(spec.hostPorts, [5432, 6379]);
  const both = optionsOf("--enable-host-access", "--allow-host-service-ports", "22");
  t.deepEqual(readSettings(both).spec.hostPorts, [80, 443, 22]);
  t.throws(() => readSettings(optionsOf("--allow-host-service-ports", "x")), {
    message: "Invalid port: x. Must be a number between 1 and 65535",
  });
});

test("options without a counterpart are refused or ignored with the reason, and are in the page", (t) => {
  const page = readFileSync("docs/awf.md", "utf8");
  for (const option of foreignOptions) {
    const name = nameOf(option);
    const words = option.flags.includes("<") ? [name, "1"] : [name];
    const line = read(...words);
    if (option.effect === "refused")
      t.deepEqual(line, { text: `error: awf has no ${name}: ${option.why}`, exitCode: 1 });
    else t.deepEqual("ignored" in line && line.ignored, [`${name}: ${option.why}`]);
    t.true(page.includes(`| \`${option.flags}\` |`) && page.includes(`| ${option.why} |`), name);
  }
  const own = ["-d", "-b", "-k", "--memory-limit", "--pids-limit", "--agent-timeout"];
  for (const name of [...own, "--allow-host-service-ports", "--docker-host", "--config -"])
    t.true(page.includes(`\`${name}`), name);
});
