import test from "ava";
import { c, describeBlock } from "../../plugin-api/block.js";
import { catalog } from "../testing/catalog.js";
import { hook } from "../testing/plugins.js";
import { blockReference, referenceOf } from "./reference.js";

test("the reference of a block is written from its description", (t) => {
  const descriptor = describeBlock(
    c.block({
      doc: "Keeps a room tidy.",
      label: c.name(),
      examples: ['room "kitchen" { every = 1h }'],
      exports: { size: c.export(c.size(), "limit", "How large it is.") },
      attrs: {
        every: c.duration().min(1000).default("1h").doc("How often.").example("30m"),
        limit: c.size().max(1024).optional().reload("live"),
        mode: c.oneOf("wet", "dry"),
        old: c.string().optional().deprecated({ since: "2.0", use: "mode" }),
        gone: c.string().removed({ since: "1.0" }),
        when: c
          .expr({
            scope: c.scope("visit", { visitor: c.string().doc("Who | what.") }),
            returns: c.boolean(),
          })
          .optional(),
      },
      blocks: { shelf: c.block({ label: c.name().optional(), min: 1, max: 3 }) },
    }),
  );
  t.is(
    blockReference("room", descriptor),
    `## \`room "NAME" { … }\`

Keeps a room tidy.

\`\`\`reeve
room "kitchen" { every = 1h }
\`\`\`

| Attribute | Type | Default | |
|---|---|---|---|
| \`every\` | Duration, at least 1s | \`1h\` | How often. For example \`30m\`. |
| \`limit\` | Size, at most 1KiB |  | Taken over while running. |
| \`mode\` | One of \`"wet"\` or \`"dry"\` | required |  |
| \`old\` | String |  | Deprecated since 2.0. Use \`mode\`. |
| \`when\` | True or false, may depend on the visit |  |  |

Names of the visit:

| Name | Type | |
|---|---|---|
| \`visitor\` | A string | Who \\| what. |

Other blocks may read:

| Name | Type | |
|---|---|---|
| \`size\` | A size | How large it is. |

### \`shelf ["NAME"] { … }\`

At least 1, at most 3.`,
  );
});

test("a plugin's page has a section for each of its kinds, under its namespace", async (t) => {
  const { plugins } = await catalog.bind([{ name: "acme" } as never], "/");
  const acme = plugins.find(({ namespace }) => namespace === "acme");
  t.regex(acme ? referenceOf(acme) : "", /^# acme-chat\n\n## `acme\.chat "NAME" \{ … \}`/);
});

test("a type is described in full, whatever it is made of", (t) => {
  const page = blockReference("hook", describeBlock(hook));
  t.true(
    page.includes(
      "| `run` | List of strings, numbers or truth values, may depend on the request | required |",
    ),
  );
  t.true(page.includes("| `env` | Object of strings or secrets | `{}` |"));
  t.true(page.includes("#### `") === false && page.includes('### `verify "hmac | bearer" { … }`'));
});
