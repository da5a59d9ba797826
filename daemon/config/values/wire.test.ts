import test from "ava";
import fc from "fast-check";
import { programOf } from "../testing/load-files.js";
import { ConfiguredBlock } from "./block.js";
import { sameValue } from "./same.js";
import { decodeValue, encodeValue } from "./wire.js";

const crossed = (value: unknown): unknown =>
  decodeValue(JSON.parse(JSON.stringify(encodeValue(value))));

test("any JSON data arrives as it was sent", (t) => {
  fc.assert(fc.property(fc.jsonValue(), (value) => t.deepEqual(crossed(value), value)));
});

test("data that looks like the wire's own marks arrives as it was sent", (t) => {
  for (const value of [{ $reeve: "secret" }, { $reeve: { $reeve: 1 } }, [{ $reeve: null, a: 1 }]]) {
    t.deepEqual(crossed(value), value);
  }
});

test("what JSON does not have arrives too", (t) => {
  t.is(crossed(undefined), undefined);
  t.is(crossed(Number.POSITIVE_INFINITY), Number.POSITIVE_INFINITY);
  t.deepEqual(crossed(new Uint8Array([1, 2, 255])), new Uint8Array([1, 2, 255]));
  const named = JSON.parse('{ "__proto__": 1, "constructor": 2 }') as object;
  t.deepEqual(Object.entries(crossed(named) as object), Object.entries(named));
});

test("an unknown mark is refused", (t) => {
  t.throws(() => decodeValue({ $reeve: "nonsense" }), { instanceOf: TypeError });
});

test("every block of a program arrives equal to what was sent", async (t) => {
  const program = await programOf(`
    let token = secret("env:TOKEN")
    sandbox "build" { memory = 1GiB; env = { T = let.token, A = "a" }; limits = {} }
    hook "deploy" {
      run = ["a", payload.x, "\${payload.y}"]
      when = payload.list[*].a == ["x"] && header["X-A"] =~ re"^a$"i
      stdin = "\${let.token} \${payload.z}"
      run_in = sandbox.build
      match = re"x"s
      verify "hmac" { header = "X"; secret = let.token }
      response {}
    }
  `);
  for (const block of program.blocks.values()) {
    const sent = new ConfiguredBlock(block);
    const arrived = crossed(sent) as ConfiguredBlock;
    t.true(sameValue(arrived, sent), block.key);
    t.deepEqual(arrived.rangeOf("run", 1), sent.rangeOf("run", 1));
    t.deepEqual(arrived.range, sent.range);
    t.is(arrived.label, sent.label);
  }
});

test("a place that is not known is the nearest one that is", async (t) => {
  const program = await programOf('sandbox "build" {\n  allow = ["a.org"]\n}\n');
  const block = new ConfiguredBlock(program.blocks.get("sandbox.build") as never);
  const text = 'sandbox "build" {\n  allow = ["a.org"]\n}\n';
  const at = (...path: Array<string | number>) => {
    const { start, end } = block.rangeOf(...path);
    return text.slice(start, end);
  };
  t.is(at("allow", 0), '"a.org"');
  t.is(at("allow", 5), '["a.org"]');
  t.is(at("memory"), 'sandbox "build"');
  t.is(at(), 'sandbox "build"');
});
