import test from "ava";
import fc from "fast-check";
import { readCgiResponse } from "./cgi-response.js";

const read = (text: string) => {
  const answer = readCgiResponse(Buffer.from(text, "latin1"));
  return typeof answer === "string"
    ? answer
    : [answer.status, { ...answer.headers }, Buffer.from(answer.body).toString("latin1")];
};

const rows: ReadonlyArray<readonly [title: string, output: string, answer: unknown]> = [
  [
    "a status, headers and a body",
    "Status: 404 Not Found\nContent-Type: text/html\n\n<p>\n\nno",
    [404, { "content-type": "text/html" }, "<p>\n\nno"],
  ],
  ["lines as on the wire", "X-A: 1\r\n\r\nb", [undefined, { "x-a": "1" }, "b"]],
  ["a body alone, behind an empty line", "\nb", [undefined, {}, "b"]],
  ["nothing but a head", "Status: 204\n\n", [204, {}, ""]],
  ["no head", "hello\n", "there is no empty line after its headers"],
  ["nothing at all", "", "there is no empty line after its headers"],
  ["words before the head", "starting\nStatus: 200\n\nb", "a line of its head is not a header"],
  ["a status that is none", "Status: 99\n\n", "its status is not in 200 to 599"],
  [
    "a header of the server's",
    "Transfer-Encoding: chunked\n\n",
    "one of its headers cannot be set",
  ],
  ["a control character", "X: a\x01\n\n", "a header has invalid characters"],
];

for (const [title, output, answer] of rows) {
  test(`a command's answer: ${title}`, (t) => {
    t.deepEqual(read(output), answer);
  });
}

test("whatever a command prints, no header of it breaks the answer", (t) => {
  const line = fc.constantFrom(
    "Status: 200",
    "X-A: 1",
    "X-B:\r2",
    "",
    "Connection: close",
    "a: \0",
    "::",
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(line, fc.string())), (lines) => {
      const answer = readCgiResponse(Buffer.from(lines.join("\n")));
      if (typeof answer === "string") return answer.length > 0;
      return Object.entries(answer.headers).every(
        ([name, value]) => /^[^\s:]+$/.test(name) && !/[\r\n\0]/.test(value),
      );
    }),
  );
  t.pass();
});
