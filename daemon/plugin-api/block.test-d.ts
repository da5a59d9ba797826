/** What `c` promises the compiler. Compiled with everything else; never run. */

import type { Block, Duration, Expression, Reference, Secret } from "./index.js";
import { c, definePlugin } from "./index.js";

type Equal<A, B> =
  (<T>() => T extends A ? 1 : 2) extends <T>() => T extends B ? 1 : 2 ? true : false;
const holds = <_T extends true>(): void => undefined;

const request = c.scope<{ payload: unknown; method: string }>("request", {
  payload: c.any(),
  method: c.string().doc("Upper case."),
});

const hook = c.block({
  label: c.name(),
  attrs: {
    timeout: c.duration().default("1m"),
    name: c.string().optional(),
    methods: c.list(c.oneOf("GET", "POST")).default('["POST"]'),
    when: c.expr({ scope: request, returns: c.boolean() }).optional(),
    run_in: c.ref("sandbox").optional(),
    env: c.map(c.union(c.string(), c.secret())).default("{}"),
  },
  blocks: {
    verify: c.block({ label: c.oneOf("hmac", "bearer"), attrs: { secret: c.secret() }, max: 4 }),
    response: c.block({ attrs: { status: c.integer().min(100).max(599).default("200") }, max: 1 }),
  },
});

definePlugin({
  id: "example",
  title: "Example",
  api: 1,
  blocks: { hook },
  setup: () => ({
    prepare(next) {
      for (const block of next.blocks.hook) {
        const { values } = block;
        holds<Equal<typeof values.timeout, Duration>>();
        holds<Equal<typeof values.name, string | undefined>>();
        holds<Equal<typeof values.methods, readonly ("GET" | "POST")[]>>();
        holds<Equal<typeof values.when, Expression<boolean> | undefined>>();
        holds<Equal<typeof values.run_in, Reference<"sandbox"> | undefined>>();
        holds<Equal<typeof values.env, Readonly<Record<string, string | Secret>>>>();
        holds<Equal<(typeof values.verify)[number]["values"]["secret"], Secret>>();
        const response: Block<{ readonly status: number }> | undefined = values.response;
        void response;
        // @ts-expect-error -- there is no such attribute
        void values.timeuot;
      }
      return { commit: () => undefined };
    },
  }),
});

// @ts-expect-error -- a plugin without an id is not a plugin
definePlugin({
  title: "x",
  api: 1,
  blocks: {},
  setup: () => ({ prepare: () => ({ commit() {} }) }),
});
