import { PassThrough } from "node:stream";
import test from "ava";
import { turns } from "../../../tests/support/eventually.js";
import { type BodyProblem, hasBody, receiveBody } from "./receive-body.js";
import { type RawRequest, RequestView } from "./request-view.js";

function request(headers: Record<string, string>, method = "POST") {
  const raw = new PassThrough();
  const parts = { method, url: "/hooks/x", headers, rawHeaders: [], socket: {} };
  const view = new RequestView(Object.assign(raw, parts) as unknown as RawRequest);
  const outcomes: Array<string | number> = [];
  const results = (body: Uint8Array | BodyProblem): void =>
    void outcomes.push(body instanceof Uint8Array ? Buffer.from(body).toString() : body);
  return { raw, view, outcomes, results };
}

for (const [is, headers, method, brings] of [
  ["an announced length", { "content-length": "2" }, "POST", true],
  ["chunks", { "transfer-encoding": "chunked" }, "PUT", true],
  ["a length of nothing", { "content-length": "0" }, "POST", false],
  ["no word of a body", {}, "DELETE", false],
] as const) {
  test(`with ${is} there is ${brings ? "a" : "no"} body to wait for`, (t) => {
    t.is(hasBody(request(headers, method).view), brings);
  });
}

test("a body is received whole, in however many pieces it comes", async (t) => {
  for (const pieces of [["abcd"], ["a", "bc", "d"], []]) {
    const { raw, view, outcomes, results } = request({});
    receiveBody(view, 4, results);
    for (const piece of pieces) {
      raw.write(piece);
      await turns();
    }
    raw.end();
    await turns();
    t.deepEqual(outcomes, [pieces.join("")]);
  }
});

test("one that is announced as too long is not waited for", (t) => {
  const { view, outcomes, results } = request({ "content-length": "5" });
  receiveBody(view, 4, results);
  t.deepEqual(outcomes, ["too_large"]);
});

test("one that grows too long is reported as soon as it does, once", async (t) => {
  const { raw, view } = request({ "transfer-encoding": "chunked" });
  const outcomes: Array<Uint8Array | BodyProblem> = [];
  receiveBody(view, 4, (body) => void outcomes.push(body));
  raw.write("abc");
  await turns();
  t.deepEqual(outcomes, []);
  raw.write("de");
  await turns();
  t.deepEqual(outcomes, ["too_large"]);
  raw.end("f");
  await turns();
  t.is(outcomes.length, 1);
});

test("one that is broken off, or shorter than announced, is refused", async (t) => {
  for (const end of ["break", "stop"]) {
    const { raw, view, outcomes, results } = request({ "content-length": "4" });
    receiveBody(view, 10, results);
    raw.write("ab");
    await turns();
    if (end === "break") raw.destroy(new Error("aborted"));
    else raw.end();
    await turns();
    t.deepEqual(outcomes, ["broken"], end);
  }
});
