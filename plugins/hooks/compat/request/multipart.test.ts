import test from "ava";
import { parseMultipart } from "./multipart.js";

const TYPE = "multipart/form-data; boundary=xyz";
const parsed = (body: string, type = TYPE) =>
  partsOf(parseMultipart(type, Buffer.from(body)))?.map(({ content, ...part }) => ({
    ...part,
    content: Buffer.from(content).toString(),
  }));
const partsOf = (parts: ReturnType<typeof parseMultipart>) =>
  typeof parts === "string" ? undefined : parts;

const value = (name: string, content: string, end = "\r\n"): string =>
  `--xyz${end}Content-Disposition: form-data; name="${name}"${end}${end}${content}${end}`;

for (const [called, end] of [
  ["CRLF", "\r\n"],
  ["LF", "\n"],
] as const) {
  test(`values with ${called} line ends`, (t) => {
    const body = `${value("a", "1", end)}${value("b", `two${end}lines`, end)}--xyz--${end}`;
    t.deepEqual(
      parsed(body)?.map(({ name, content }) => [name, content]),
      [
        ["a", "1"],
        ["b", `two${end}lines`],
      ],
    );
  });
}

test("a file has a name and a type of its own", (t) => {
  const body =
    '--xyz\r\nContent-Disposition: form-data; name="f"; filename="a.json"\r\nContent-Type: application/json\r\n\r\n{}\r\n--xyz--';
  t.deepEqual(parsed(body), [
    { name: "f", fileName: "a.json", type: "application/json", content: "{}" },
  ]);
});

test("an empty value, a quoted boundary and an escaped name", (t) => {
  t.is(parsed(`${value("a", "")}--xyz--`)?.[0]?.content, "");
  t.is(parsed(`${value("a", "1")}--xyz--`, 'multipart/form-data; boundary="xyz"')?.length, 1);
  t.is(parsed(`${value('q\\"q', "1")}--xyz--`)?.[0]?.name, 'q"q');
});

test("a mark within a line is content", (t) => {
  t.is(parsed(`${value("a", "x--xyz\r\n--xyzz")}--xyz--`)?.[0]?.content, "x--xyz\r\n--xyzz");
});

for (const [what, body, type] of [
  ["no boundary", "", "multipart/form-data; charset=utf-8"],
  ["nothing at all", "", TYPE],
  ["no end", value("a", "1"), TYPE],
  ["headers that are none", "--xyz\r\nnonsense\r\n\r\n1\r\n--xyz--", TYPE],
] as const) {
  test(`${what} cannot be parsed`, (t) => t.is(parsed(body, type), undefined));
}
