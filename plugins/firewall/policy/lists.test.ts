import test from "ava";
import { splitFile, splitList } from "./lists.js";

test("a flag's value is split at commas; empty entries are dropped, newlines stay", (t) => {
  t.deepEqual(splitList(" a.example, b.example ,,c\nd "), ["a.example", "b.example", "c\nd"]);
  t.deepEqual(splitList(" , "), []);
});

test("a file has entries on lines or between commas, comments, and perhaps a byte order mark", (t) => {
  const text = "\uFEFFa.example, b.example # both\r\n# none\n\n  c.example\n";
  t.deepEqual(splitFile(text), ["a.example", "b.example", "c.example"]);
});
