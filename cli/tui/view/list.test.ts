import test from "ava";
import { fit, wrapped } from "./lines.js";
import { type ListOptions, lineList, type TableSource, tableList } from "./list.js";
import { plainTheme } from "./theme.js";

interface Fruit {
  readonly name: string;
  readonly weight?: number;
}
const rows: readonly Fruit[] = [
  { name: "pear", weight: 9 },
  { name: "Apple", weight: 10 },
  { name: "fig" },
  { name: "pineapple", weight: 900 },
];
const source: TableSource<Fruit> = {
  rows,
  columns: [
    { title: "NAME", cell: ({ name }) => name },
    { title: "WEIGHT", cell: ({ weight }) => String(weight ?? ""), value: ({ weight }) => weight },
  ],
  id: ({ name }) => name,
  text: ({ name }) => name,
  theme: plainTheme,
};
const plain: ListOptions = { filter: "", reverse: false };
const ids = (options: Partial<ListOptions>) => {
  const list = tableList(source, { ...plain, ...options });
  return Array.from({ length: list.size }, (_, index) => list.idAt(index)).join(" ");
};

test("parts are looked at like the text that they are joined to", (t) => {
  const parted = { ...source, parts: ({ name, weight }: Fruit) => [name, weight?.toString()] };
  const joined = { ...source, text: ({ name, weight }: Fruit) => [name, weight].join(" ") };
  for (const filter of ["pe", "PEAR", "r 9", "90", "ap", "app", "apple", "zz", ""]) {
    const [one, other] = [parted, joined].map((each) =>
      tableList({ ...each, text: joined.text, rows: [...rows] }, { ...plain, filter }),
    );
    t.is(one?.size, other?.size, filter);
  }
});

test("a filter that grows finds what it would have found at once", (t) => {
  for (const filter of ["p", "pe", "p", "pi", "", "e", "ear", "fig"]) {
    const fresh = tableList({ ...source, rows: [...rows] }, { ...plain, filter });
    t.is(tableList(source, { ...plain, filter }).size, fresh.size, filter);
  }
});

const arrangements: ReadonlyArray<readonly [Partial<ListOptions>, string]> = [
  [{}, "pear Apple fig pineapple"],
  [{ reverse: true }, "pineapple fig Apple pear"],
  [{ filter: "APPLE" }, "Apple pineapple"],
  [{ filter: "zzz" }, ""],
  [{ sort: 1 }, "pear Apple pineapple fig"],
  [{ sort: 0 }, "Apple fig pear pineapple"],
  [{ sort: 1, filter: "p" }, "pear Apple pineapple"],
  [{ sort: 9 }, "pear Apple fig pineapple"],
];
for (const [options, expected] of arrangements) {
  test(`a list with ${JSON.stringify(options)} is "${expected}"`, (t) => {
    t.is(ids(options), expected);
  });
}

test("only rows that are seen are laid out", (t) => {
  let reads = 0;
  const many = Array.from({ length: 10_000 }, (_, index) => ({ name: `n${index}` }));
  const column = {
    title: "NAME",
    cell: ({ name }: Fruit) => {
      reads += 1;
      return name;
    },
  };
  const { heading, rows: shown } = tableList(
    { ...source, rows: many, columns: [column] },
    plain,
  ).lay(500, 3, 40);
  t.is(heading, "NAME");
  t.deepEqual(shown, ["n500", "n501", "n502"]);
  t.is(reads, 3);
});

test("lines are filtered by what is read, not by their colours", (t) => {
  const list = lineList(["\u001b[31mred\u001b[39m 31", "blue"], { filter: "31" });
  t.is(list.size, 1);
  t.is(lineList(["a", "b"], { filter: "" }).lay(1, 1, 10).rows[0], "b");
  t.is(lineList(["\u001b[31mred"], { filter: "[3" }).size, 0);
});

test("a line is made exactly as wide as there is room", (t) => {
  t.is(fit("ab", 4), "ab  ");
  t.is(fit("abcdef", 4), "abc…");
  t.is(fit("\u001b[1mabcdef\u001b[22m", 4), "abc…", "cut colours do not run on");
  t.is(fit("日本語", 4), "日… ");
});

test("text is wrapped at words where it can be", (t) => {
  t.deepEqual(wrapped("to be or not", 6), ["to be", "or not"]);
  t.deepEqual(wrapped("abcdefgh", 3), ["abc", "def", "gh"]);
  t.deepEqual(wrapped("a\n\n b", 10), ["a", "", " b"]);
  t.deepEqual(wrapped("日本語", 2), ["日", "本", "語"]);
});
