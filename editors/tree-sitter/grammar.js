/**
 * The tree-sitter grammar of Reeve, for editors. It accepts every valid text and a little more: `grammar/reeve.peggy` judges.
 * `node scripts/tree-sitter.mjs` generates `src/parser.c` and the WebAssembly from it.
 */

/** Words that begin an item or belong to one; each may also be a name of an attribute, an entry or a member. */
const WORDS = ["let", "import", "mixin", "use", "for", "if", "else", "param"];

const OPERATORS = [
  ["??"],
  ["||"],
  ["&&"],
  ["==", "!=", "=~"],
  ["<", "<=", ">", ">=", "in"],
  ["+", "-"],
  ["*", "/", "%"],
];

module.exports = grammar({
  name: "reeve",
  word: ($) => $._word,
  externals: ($) => [
    $._line_end,
    $.number,
    $.language,
    $._quoted_text,
    $._block_text,
    $._raw_block_text,
    // Valid only while the parser recovers from an error.
    $._error,
  ],
  extras: ($) => [/[ \t\r\n]/, $.comment, $.documentation],
  inline: ($) => [$._value],
  rules: {
    file: ($) => items($),

    _separators: ($) => repeat1(choice($._line_end, ";")),
    _item: ($) =>
      choice(
        alias($._disabled, $.disabled),
        $.attribute,
        $.let,
        $.param,
        $.import,
        $.mixin,
        $.use,
        $.for,
        $.if,
        $.block,
      ),
    _disabled: ($) =>
      seq(
        "/-",
        choice($.attribute, $.let, $.param, $.import, $.mixin, $.use, $.for, $.if, $.block),
      ),

    attribute: ($) => seq(field("name", $._any_name), "=", field("value", $._value)),
    let: ($) => seq("let", field("name", $._any_name), "=", field("value", $._value)),
    param: ($) =>
      seq(
        "param",
        field("name", $.name),
        optional(seq(":", field("type", alias($.name, $.type)))),
        optional(seq("=", field("value", $._value))),
      ),
    import: ($) =>
      seq(
        "import",
        field("path", $._string),
        optional($.arguments),
        optional(seq("as", field("alias", $.name))),
      ),
    mixin: ($) => seq("mixin", field("label", $._string), field("body", $.body)),
    use: ($) => seq("use", $._value),
    for: ($) =>
      seq(
        "for",
        optional(seq(field("key", $.name), ",")),
        field("variable", $.name),
        "in",
        field("values", $._value),
        field("body", $.body),
      ),
    if: ($) =>
      seq(
        "if",
        field("condition", $._value),
        field("body", $.body),
        optional(seq("else", choice($.if, field("alternative", $.body)))),
      ),
    block: ($) =>
      seq(
        field("kind", alias($._kind, $.kind)),
        repeat(field("label", $._string)),
        field("body", $.body),
      ),
    _kind: ($) =>
      seq(choice($.name, alias("param", $.name)), optional(seq(token.immediate("."), $._any_name))),
    body: ($) => seq("{", items($), "}"),

    _value: ($) => choice($.conditional, $._operation),
    conditional: ($) =>
      prec.right(
        seq(
          field("condition", $._operation),
          "?",
          field("consequent", $._value),
          ":",
          field("alternative", $._value),
        ),
      ),
    _operation: ($) => choice($.binary, $.unary, $._operand),
    binary: ($) =>
      choice(
        ...OPERATORS.map((signs, level) =>
          prec.left(
            level + 1,
            seq(
              field("left", $._operation),
              field("operator", choice(...signs)),
              field("right", $._operation),
            ),
          ),
        ),
      ),
    unary: ($) => prec(9, seq(field("operator", choice("!", "-")), $._operation)),
    _operand: ($) =>
      choice(
        $._string,
        $.pattern,
        $.boolean,
        $.null,
        $.name,
        $.number,
        $.list,
        $.object,
        $.list_for,
        $.object_for,
        $.group,
        $.member,
        $.index,
        $.call,
      ),
    group: ($) => seq("(", $._value, ")"),
    member: ($) =>
      prec(10, seq(field("of", $._operand), token.immediate("."), field("name", $._any_name))),
    index: ($) =>
      prec(10, seq(field("of", $._operand), token.immediate("["), choice("*", $._value), "]")),
    call: ($) =>
      prec(
        10,
        seq(
          field("function", $._operand),
          field("arguments", alias($._call_arguments, $.arguments)),
        ),
      ),
    _call_arguments: ($) => seq(token.immediate("("), commas($.argument, $._value), ")"),
    arguments: ($) => seq("(", commas($.argument, $._value), ")"),
    // In arguments a word of the language is a value, as in `f(let.x)`: a name that is one too is left to the server.
    argument: ($) => seq(field("name", $.name), "=", field("value", $._value)),

    list: ($) => seq("[", commas($._value), "]"),
    list_for: ($) => seq("[", $._for_head, field("value", $._value), "]"),
    object: ($) =>
      seq(
        "{",
        repeat($._line_end),
        optional(
          seq(
            $.entry,
            repeat(seq(repeat1(choice(",", $._line_end)), $.entry)),
            repeat(choice(",", $._line_end)),
          ),
        ),
        "}",
      ),
    entry: ($) => seq(field("key", choice($._string, $._any_name)), "=", field("value", $._value)),
    object_for: ($) =>
      seq(
        "{",
        repeat($._line_end),
        $._for_head,
        repeat($._line_end),
        field("key", $._value),
        "=>",
        field("value", $._value),
        repeat($._line_end),
        "}",
      ),
    _for_head: ($) =>
      seq(
        "for",
        optional(seq(field("key", $.name), ",")),
        field("variable", $.name),
        "in",
        field("values", $._value),
        optional(seq("if", field("condition", $._value))),
        ":",
      ),

    _string: ($) => choice($.string, $.block_string, $.raw_string, $.raw_block_string),
    string: ($) =>
      seq(
        '"',
        repeat(choice(alias($._quoted_text, $.text), $.escape, $.interpolation)),
        token.immediate('"'),
      ),
    block_string: ($) =>
      seq(
        '"""',
        optional($.language),
        repeat(choice(alias($._block_text, $.text), $.escape, $.interpolation)),
        token.immediate('"""'),
      ),
    raw_string: () => token(/r"[^"\r\n]*"/),
    raw_block_string: ($) =>
      seq(
        'r"""',
        optional($.language),
        optional(alias($._raw_block_text, $.text)),
        token.immediate('"""'),
      ),
    escape: () => token.immediate(/\\(u\{[0-9A-Fa-f]*\}|[^\r\n])/),
    interpolation: ($) => seq(token.immediate("${"), $._value, "}"),
    pattern: ($) =>
      seq('re"', optional(alias(token.immediate(/[^"\r\n]+/), $.regex)), $._pattern_end),
    _pattern_end: () => token.immediate(/"[A-Za-z0-9_]*/),

    boolean: () => choice("true", "false"),
    null: () => "null",
    name: ($) => $._word,
    _word: () => /[A-Za-z_][A-Za-z0-9_]*/,
    _any_name: ($) =>
      choice(
        $.name,
        ...[...WORDS, "in", "as", "true", "false", "null"].map((word) => alias(word, $.name)),
      ),

    comment: () => token(choice("#", /#[^#\r\n][^\r\n]*/, /###[^\r\n]*/)),
    documentation: () => token(/##([^#\r\n][^\r\n]*)?/),
  },
});

function items($) {
  return seq(
    optional($._separators),
    optional(seq($._item, repeat(seq($._separators, $._item)), optional($._separators))),
  );
}

function commas(...parts) {
  const part = choice(...parts);
  return optional(seq(part, repeat(seq(",", part)), optional(",")));
}
