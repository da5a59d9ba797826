/** Texts that make careless parsers slow or deep: one piece over and over. */

/**
 * At 256 KiB reading would take tens of seconds if its time grew with the square of the length, seconds at a quarter of it.
 */
export const hostileTexts = (length: number): readonly string[] => {
  const repeated = (piece: string, before = "", behind = "") =>
    before + piece.repeat(length / piece.length) + behind;
  return [
    // Openings without an end, and ends without an opening.
    ...[
      "[",
      "(",
      "{",
      "}",
      "x = [(\n",
      "x = (\n",
      "(\n",
      "a {\n",
      "a { ",
      "x = {\n",
      "x = f(\n",
    ].map((p) => repeated(p)),
    repeated("(\n", "", "]"),
    repeated("x = ([\n", "", ")".repeat(10)),
    repeated("[", "x = "),
    repeated("{a=", "x = "),
    repeated('"${', "x = "),
    repeated("a ? ", "x = ", "b"),
    repeated("[for x in ", "x = "),
    // Long chains.
    ...[" ?? a", ".b", "[0]", "()", " ? b : c", " + 1"].map((p) => repeated(p, "x = a")),
    ...["!", "-"].map((p) => repeated(p, "x = ", "a")),
    repeated("else if a {} ", "if a {} "),
    // Strings, closed and not.
    ...['"', '"""', 'r"""', '"""\n', 'a = """\n', 'a = """\n  x\n', 'a = r"""\n  x\n'].map((p) =>
      repeated(p),
    ),
    repeated('\\"""\n', 'x = """\n'),
    repeated('"""', 'x="""\n'),
    repeated("\\q", 'x = "', '"'),
    repeated("\\q\n", 'x = """\n', '"""'),
    repeated("a\n", 'x = """\n', '  """'),
    repeated("${a b}", 'x = "', '"'),
    repeated("${#a ", 'x = "'),
    repeated('"a" ', 'x = "${['),
    repeated('a = "b;'),
    repeated('a = "b\n'),
    // The same mistake again and again, on one line and on many.
    ...[
      "'",
      "';",
      "`;",
      "“;",
      "${",
      "${;",
      "//\n",
      "/*\n",
      "/*",
      ",",
      "/- ",
      "else ",
      "\0",
      "\r",
    ].map((p) => repeated(p)),
    ...["a=;", "a ;", "a:1;", "a = 1 = 2;", "x=01;", "let ;", "import x;", "for x y;"].map((p) =>
      repeated(p),
    ),
    ...["a 'b' c;", 'a "b" "c";', "a b c d e f g h ", "x ! (", "x ! (\n", "a = 1\r"].map((p) =>
      repeated(p),
    ),
    ...["1 ", ",", "a ? b, ", "a = 1,\n"].map((p) => repeated(p, "x = [")),
    ...["a-b=1,", "a b\n", "a b,"].map((p) => repeated(p, "x = {")),
    repeated("a = 1,\n", `x = "${"y".repeat(length)}"; f(\n`),
    // Nothing, at length.
    repeated(" ", "x ="),
    repeated("\n", "x = a"),
    repeated("\n", `${"[\n".repeat(60)}1`),
    repeated("\n", "x = [a %\n b ) "),
    repeated("# c\n", "x = a\n"),
    repeated("a"),
    repeated("9", "x = "),
    repeated("\t", 'x = "'),
    repeated("\u{1f600}"),
  ];
};
