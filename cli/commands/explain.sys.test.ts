import test from "ava";
import { folder, reeve } from "../testing/reeve.js";

const main = `import "./limits.reeve" as limits

let slow = env("SLOW", default = "no") == "yes"
mixin "bounded" {
  timeout = let.slow ? 10m : limits.let.short
}

for site in ["blog", "shop"] {
  ## Publishes a site.
  hook "publish-\${site}" {
    use mixin.bounded
    run = ["./publish.sh", site]
    env = { TOKEN = secret("env:TOKEN") }
    response {
      wait = true
    }
  }
}
`;
const files = { "main.reeve": main, "limits.reeve": "let short = 90s\n" };

test("a value is shown with its parts and where they are written", async (t) => {
  const cwd = folder(t, files);
  t.deepEqual(await reeve(["explain", 'hook["publish-blog"].timeout'], { cwd }), {
    code: 0,
    stderr: "",
    stdout: `hook["publish-blog"].timeout = 1m30s

  How long the command may run. Then it is killed with everything it started.

  type        a duration
  default     1m
  a change    is taken over while the block runs
  depends on  environment variable SLOW
  made by     \`for site in ["blog", "shop"]\` at main.reeve:8:1

  main.reeve:5:3  timeout = let.slow ? 10m : limits.let.short  (from mixin.bounded)
  main.reeve:3:1  let slow = env("SLOW", default = "no") == "yes"  ->  false
`,
  });
});

test("a block is shown with all attributes, defaults included", async (t) => {
  const cwd = folder(t, files);
  const { code, stdout } = await reeve(["explain", 'hook["publish-shop"]'], { cwd });
  t.is(code, 0);
  t.true(stdout.startsWith('hook["publish-shop"]\n  Publishes a site.\n\n'), stdout);
  t.regex(stdout, /^ {2}main\.reeve:12:5 +run += \["\.\/publish\.sh", site\]$/m);
  t.regex(stdout, /^ {2}by default +methods += \["POST"\]$/m);
  t.regex(stdout, /^ {2}main\.reeve:13:5 +env += \{ TOKEN = secret\("env:TOKEN"\) \}$/m);
  t.regex(stdout, /response += response \{ wait = true, /);
  t.notRegex(stdout, /verify/);
});

test("JSON has places as diagnostics have them", async (t) => {
  const cwd = folder(t, files);
  const { code, stdout } = await reeve(
    ["explain", "--json", 'hook["publish-blog"].timeout', cwd],
    {},
  );
  t.is(code, 0);
  t.like(JSON.parse(stdout), {
    value: "1m30s",
    reload: "live",
    inputs: [{ kind: "environment", name: "SLOW" }],
    range: { start: { line: 5, column: 13 } },
  });
});

test("a kind is explained without a configuration", async (t) => {
  const { code, stdout } = await reeve(["explain", "hook"], { cwd: folder(t) });
  t.is(code, 0);
  t.regex(stdout, /^## `hook "NAME" \{ … \}`\n/);
  t.regex(stdout, /\| `timeout` \| Duration/);
});

test("a kind of a plugin that the configuration declares is explained too", async (t) => {
  const cwd = folder(t, {
    "main.reeve": 'plugin "acme" { source = "./acme.js" }\n',
    "acme.js": `import { c, definePlugin } from ${JSON.stringify(import.meta.resolve("reeve/plugin"))};
export default definePlugin({ id: "acme", title: "Acme", api: 1, permissions: {},
  blocks: { chat: c.block({ label: c.name(), doc: "A place to talk.", attrs: {} }) },
  setup() { throw new Error("this must not start"); } });
`,
  });
  const { code, stdout, stderr } = await reeve(["explain", "acme.chat"], { cwd });
  t.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  t.is(stdout, '## `acme.chat "NAME" { … }`\n\nA place to talk.\n');
});

test("a code is explained with an example", async (t) => {
  const { code, stdout } = await reeve(["explain", "E010"]);
  t.is(code, 0);
  t.regex(
    stdout,
    /^E010: missing `=`\n\nAn attribute takes its value after [\s\S]*\n\n# main\.reeve\ntimeout: 1m\n$/,
  );
  const json = await reeve(["explain", "E010", "--json"]);
  t.like(JSON.parse(json.stdout), { code: "E010", example: { "main.reeve": "timeout: 1m\n" } });
});

const absent = test.macro<[string, string]>({
  async exec(t, what, stderr) {
    const cwd = folder(t, files);
    t.deepEqual(await reeve(["explain", what], { cwd }), { code: 66, stdout: "", stderr });
  },
  title: (_, what) => `\`explain ${what}\` finds nothing and says what is near`,
});
test(absent, "E999", "reeve: there is no diagnostic `E999`\n");
test(absent, "hok", "reeve: there is no block at `hok`\nDid you mean `hook`?\n");
test(
  absent,
  'hook["publish-blag"].timeout',
  'reeve: there is no block at `hook["publish-blag"].timeout`\n',
);
test(
  absent,
  'hook["publish-blog"].timeuot',
  'reeve: there is no `timeuot` in `hook["publish-blog"].timeuot`\nDid you mean `timeout`?\n',
);

test("an invalid configuration is shown with carets", async (t) => {
  const cwd = folder(t, { "main.reeve": "x = 1\n" });
  const { code, stdout, stderr } = await reeve(["explain", "hook.a.run"], { cwd });
  t.deepEqual([code, stdout], [78, ""]);
  t.regex(stderr, /--> main\.reeve:1:1/);
});
