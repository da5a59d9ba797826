import test from "ava";
import { Channel, createOutput } from "./output.js";

class Recorder {
  readonly isTTY: boolean;
  readonly columns: number | undefined;
  text = "";
  constructor(isTTY = false, columns?: number) {
    this.isTTY = isTTY;
    this.columns = columns;
  }
  write(text: string): void {
    this.text += text;
  }
}

const colours = test.macro<[boolean, Readonly<Record<string, string>>, boolean]>({
  exec(t, isTerminal, environment, colour) {
    t.is(new Channel(new Recorder(isTerminal), environment).colour, colour);
  },
  title: (_, isTerminal, environment, colour) =>
    `${isTerminal ? "a terminal" : "a pipe"} with ${JSON.stringify(environment)} ${colour ? "has colours" : "is plain"}`,
});
test(colours, true, {}, true);
test(colours, false, {}, false);
test(colours, true, { NO_COLOR: "1" }, false);
test(colours, true, { NO_COLOR: "" }, true);
test(colours, true, { TERM: "dumb" }, false);
test(colours, false, { FORCE_COLOR: "1" }, true);
test(colours, false, { FORCE_COLOR: "" }, true);
test(colours, true, { FORCE_COLOR: "0" }, false);
test(colours, true, { FORCE_COLOR: "false" }, false);
test(colours, true, { FORCE_COLOR: "1", NO_COLOR: "1" }, true);

test("what is painted is plain where colours are not wanted", (t) => {
  t.is(new Channel(new Recorder(false), {}).paint("red", "x"), "x");
  t.is(new Channel(new Recorder(true), {}).paint("red", "x"), "\u001b[31mx\u001b[39m");
});

test("a line is as wide as the terminal, else as COLUMNS says, else 80 cells", (t) => {
  t.is(new Channel(new Recorder(true, 132), { COLUMNS: "100" }).columns, 132);
  t.is(new Channel(new Recorder(false), { COLUMNS: "100" }).columns, 100);
  t.is(new Channel(new Recorder(false), { COLUMNS: "wide" }).columns, 80);
  t.is(new Channel(new Recorder(false), {}).columns, 80);
});

test("JSON goes to standard output, with a line end", (t) => {
  const [out, err] = [new Recorder(), new Recorder()];
  createOutput(out, err, {}).json({ a: [1] });
  t.deepEqual([out.text, err.text], ['{\n  "a": [\n    1\n  ]\n}\n', ""]);
});
