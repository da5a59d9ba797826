/** Which layer wins, and what counts as a change. */
import test from "ava";
import fc from "fast-check";
import { Checker } from "../schema/checker.js";
import { serverFrom } from "../servers/server.js";
import { zls } from "../servers/zls/zls.js";
import { changesBetween, effective, fullSet, inForce, ownValues } from "./effective.js";
import type { Layer } from "./layer.js";

const file = (path: string, values: Layer["values"]): Layer => ({ origin: "file", path, values });
const of = (layers: readonly Layer[], key: string) =>
  effective(zls, layers).find((setting) => setting.key === key);

test("without layers everything is as the schema says", (t) => {
  const settings = effective(zls, []);
  t.is(settings.length, 23);
  t.true(settings.every(({ origin }) => origin === "default"));
  t.deepEqual(ownValues(settings), {});
});

test("the highest layer wins key by key, and hidden values are listed", (t) => {
  const layers: readonly Layer[] = [
    file("/a.json", { warn_style: true, semantic_tokens: "none" }),
    file("/b.json", { semantic_tokens: "partial" }),
    { origin: "override", values: { semantic_tokens: "full" } },
  ];
  t.deepEqual(of(layers, "semantic_tokens"), {
    key: "semantic_tokens",
    value: "full",
    origin: "override",
    default: "full",
    live: "request",
    hidden: [
      { value: "partial", origin: "file", path: "/b.json" },
      { value: "none", origin: "file", path: "/a.json" },
      { value: "full", origin: "default" },
    ],
  });
  t.like(of(layers, "warn_style"), { value: true, origin: "file", path: "/a.json" });
});

test("null lets the layer below show through", (t) => {
  const layers = [
    file("/a.json", { zig_exe_path: "/zig" }),
    file("/b.json", { zig_exe_path: null }),
  ];
  t.like(of(layers, "zig_exe_path"), { value: "/zig", path: "/a.json" });
});

test("a server receives the full set, without unset keys", (t) => {
  const set = fullSet(effective(zls, [file("/a.json", { warn_style: true })]));
  t.is(set.warn_style, true);
  t.is(set.semantic_tokens, "full");
  t.false("zig_exe_path" in set);
  t.is(Object.keys(set).length, 23 - 6);
});

test("only another value is a change; another origin is none", (t) => {
  const before = effective(zls, [file("/a.json", { warn_style: true, force_autofix: false })]);
  const same = effective(zls, [file("/b.json", { warn_style: true })]);
  t.deepEqual(changesBetween(before, same), []);
  const after = effective(zls, [file("/b.json", { global_cache_path: "/cache" })]);
  t.deepEqual(changesBetween(before, after), [
    { key: "warn_style", old: true, new: false, origin: "default", live: "diagnostics" },
    { key: "global_cache_path", old: null, new: "/cache", origin: "file", live: "restart" },
  ]);
});

test("objects are merged, member by member", (t) => {
  const server = serverFrom("own", {
    properties: { analysis: { type: "object", default: { depth: 1, level: "low" } } },
  });
  const layers = [
    file("/a.json", { analysis: { level: "high", paths: { a: 1 } } }),
    file("/b.json", { analysis: { paths: { b: [2] } } }),
  ];
  const [analysis] = effective(server, layers);
  t.like(analysis, { origin: "file", path: "/b.json" });
  t.deepEqual(analysis?.value, { depth: 1, level: "high", paths: { a: 1, b: [2] } });
});

const anything = fc.constantFrom<unknown>(
  null,
  1,
  "a",
  [1],
  { a: 1 },
  { a: { b: 2 } },
  { b: null },
);
const anyLayers = fc.array(
  fc.dictionary(fc.constantFrom("x", "y", "z", "__proto__"), anything, { maxKeys: 4 }),
  { maxLength: 6 },
);

test("the effective values are the same with and without hidden values", (t) => {
  const server = serverFrom("own", {
    properties: { x: { default: { a: 0, c: 3 } }, y: { type: "object" } },
  });
  fc.assert(
    fc.property(anyLayers, fc.boolean(), (files, twice) => {
      const layers = files.map((values, index) => file(`/${index}`, values));
      const all = twice ? [...layers, ...layers] : layers;
      t.deepEqual(
        inForce(server, all),
        effective(server, all).map(({ hidden: _, ...rest }) => rest),
      );
    }),
  );
});

test("ten thousand files that each set a member of one object are put together", (t) => {
  const server = serverFrom("own", { properties: { many: { type: "object" } } });
  const layers = Array.from({ length: 10_000 }, (_, index) =>
    file(`/${index}`, { many: { [index]: true } }),
  );
  const [many] = inForce(server, layers);
  t.is(Object.keys(many?.value as object).length, 10_000);
});

/** Settings as people may have them: any keys, with values that their types allow. */
const someSettings = fc
  .record(
    Object.fromEntries(
      Object.entries(zls.schema.properties ?? {}).map(([key, property]) => {
        const values = property.enum
          ? fc.constantFrom(...property.enum)
          : property.type === "boolean"
            ? fc.boolean()
            : property.type === "array"
              ? fc.array(fc.string(), { maxLength: 3 })
              : fc.string({ minLength: 1 });
        return [key, property.default === null ? fc.option(values) : values];
      }),
    ),
    { requiredKeys: [] },
  )
  .map((values) => values as Record<string, unknown>);

test("whatever the files say: it is accepted, and of each key the last that says something wins", (t) => {
  const checker = new Checker(zls);
  fc.assert(
    fc.property(fc.array(someSettings, { maxLength: 4 }), (files) => {
      for (const [key, value] of files.flatMap((each) => Object.entries(each))) {
        t.is(checker.refusal(key, value), undefined);
      }
      const settings = effective(
        zls,
        files.map((values, index) => file(`/${index}.json`, values)),
      );
      for (const { key, value, origin, path } of settings) {
        const winner = files.findLastIndex((each) => (each[key] ?? null) !== null);
        t.is(path, winner < 0 ? undefined : `/${winner}.json`);
        t.is(origin, winner < 0 ? "default" : "file");
        const expected = winner < 0 ? zls.schema.properties?.[key]?.default : files[winner]?.[key];
        t.deepEqual(value, expected);
      }
      t.deepEqual(changesBetween(settings, settings), []);
    }),
    { numRuns: 50 },
  );
});
