/**
 * The syntax tree: plain data, every node with its location in the text. Nothing here evaluates, reads a file or
 * knows a plugin.
 */

/** A half-open range of UTF-16 code units in one source text. Line and column exist only in diagnostics. */
export interface Span {
  readonly start: number;
  readonly end: number;
}

export interface Name extends Span {
  readonly kind: "name";
  readonly text: string;
}

// ---------------------------------------------------------------- expressions

export interface NullLiteral extends Span {
  readonly kind: "null";
}
export interface BooleanLiteral extends Span {
  readonly kind: "boolean";
  readonly value: boolean;
}
export interface NumberLiteral extends Span {
  readonly kind: "number";
  readonly value: number;
}
/** `1h30m`, in milliseconds. */
export interface DurationLiteral extends Span {
  readonly kind: "duration";
  readonly milliseconds: number;
}
/** `64KiB`, in bytes. */
export interface SizeLiteral extends Span {
  readonly kind: "size";
  readonly bytes: number;
}
/** `50%`, as a ratio: 0.5. */
export interface PercentLiteral extends Span {
  readonly kind: "percent";
  readonly ratio: number;
}
/** `re"…"i`: the source between the quotes, unescaped nowhere, and the flags after them. */
export interface RegexLiteral extends Span {
  readonly kind: "regex";
  readonly source: string;
  readonly flags: string;
  /** Offset of the first character of `source` in the file, so that a fault inside it has a caret. */
  readonly sourceStart: number;
}

/** The notation of a string; it matters to the formatter and to hints, never to the value. */
export type StringForm = "quoted" | "raw" | "block" | "raw_block";

/** A string without interpolation: escapes decoded, block strings dedented. */
export interface StringLiteral extends Span {
  readonly kind: "string";
  readonly value: string;
  readonly form: StringForm;
  /** The word after the opening `"""`, used only for highlighting. */
  readonly language?: string;
}
/** A string with at least one `${…}`. Text parts are decoded and dedented like a plain string. */
export interface TemplateLiteral extends Span {
  readonly kind: "template";
  readonly parts: ReadonlyArray<TemplateText | TemplateHole>;
  readonly form: StringForm;
  readonly language?: string;
}
export interface TemplateText extends Span {
  readonly kind: "text";
  readonly value: string;
}
export interface TemplateHole extends Span {
  readonly kind: "hole";
  readonly expression: ExpressionNode;
}

export interface MemberAccess extends Span {
  readonly kind: "member";
  readonly object: ExpressionNode;
  readonly name: Name;
}
/** `a[i]`. `index` is absent for `a[*]`, which maps what follows over every element. */
export interface IndexAccess extends Span {
  readonly kind: "index";
  readonly object: ExpressionNode;
  readonly index?: ExpressionNode;
}
export interface CallArgument extends Span {
  readonly kind: "argument";
  readonly name?: Name;
  readonly value: ExpressionNode;
}
export interface CallExpression extends Span {
  readonly kind: "call";
  readonly callee: ExpressionNode;
  readonly arguments: readonly CallArgument[];
}

export type UnaryOperator = "!" | "-";
export interface Unary extends Span {
  readonly kind: "unary";
  readonly operator: UnaryOperator;
  readonly operand: ExpressionNode;
}

/** Loosest first: `??`, `||`, `&&`, equality, comparison, sum, product. */
export type BinaryOperator =
  | "??"
  | "||"
  | "&&"
  | "=="
  | "!="
  | "=~"
  | "<"
  | "<="
  | ">"
  | ">="
  | "in"
  | "+"
  | "-"
  | "*"
  | "/"
  | "%";
export interface Binary extends Span {
  readonly kind: "binary";
  readonly operator: BinaryOperator;
  /** The offset of the operator. */
  readonly operatorStart: number;
  readonly left: ExpressionNode;
  readonly right: ExpressionNode;
}
export interface Conditional extends Span {
  readonly kind: "conditional";
  readonly test: ExpressionNode;
  readonly consequent: ExpressionNode;
  readonly alternate: ExpressionNode;
}

export interface ListLiteral extends Span {
  readonly kind: "list";
  readonly items: readonly ExpressionNode[];
}
/** `[for x in xs if test: body]`, `{ for name, x in xs: key => body }`. */
export interface Comprehension extends Span {
  readonly kind: "comprehension";
  /** The index of an element or the name of a value. */
  readonly key?: Name;
  readonly variable: Name;
  readonly iterable: ExpressionNode;
  readonly test?: ExpressionNode;
  /** The name of an entry: the result is an object. */
  readonly name?: ExpressionNode;
  readonly body: ExpressionNode;
}
export interface ObjectEntry extends Span {
  readonly kind: "entry";
  readonly key: Name | StringLiteral | TemplateLiteral;
  readonly value: ExpressionNode;
}
export interface ObjectLiteral extends Span {
  readonly kind: "object";
  readonly entries: readonly ObjectEntry[];
}

/** Text that is not a valid expression. A diagnostic exists for it; evaluation ignores it. */
export interface BadExpression extends Span {
  readonly kind: "bad_expression";
}

export type ExpressionNode =
  | NullLiteral
  | BooleanLiteral
  | NumberLiteral
  | DurationLiteral
  | SizeLiteral
  | PercentLiteral
  | RegexLiteral
  | StringLiteral
  | TemplateLiteral
  | Name
  | MemberAccess
  | IndexAccess
  | CallExpression
  | Unary
  | Binary
  | Conditional
  | ListLiteral
  | Comprehension
  | ObjectLiteral
  | BadExpression;

// ---------------------------------------------------------------- items

/** Fields that every item may have. */
interface ItemBase extends Span {
  /** Disabled by `/-`: checked for syntax, never evaluated. */
  readonly disabled?: true;
  /** The `##` lines directly before it, without the marks. */
  readonly doc?: string;
}

export interface Let extends ItemBase {
  readonly kind: "let";
  readonly name: Name;
  readonly value: ExpressionNode;
}
/** `param name: type = default`, in a mixin or at the top of a file. Its value is `let.name`. */
export interface ParameterNode extends ItemBase {
  readonly kind: "param";
  readonly name: Name;
  readonly type?: Name;
  /** Absent: an argument is required. */
  readonly value?: ExpressionNode;
}
export interface Import extends ItemBase {
  readonly kind: "import";
  readonly path: StringLiteral | TemplateLiteral;
  /** Values for the file's parameters. */
  readonly arguments?: readonly CallArgument[];
  readonly alias?: Name;
}
export interface Mixin extends ItemBase {
  readonly kind: "mixin";
  readonly label: StringLiteral | TemplateLiteral;
  readonly body: Body;
}
export interface Use extends ItemBase {
  readonly kind: "use";
  readonly target: ExpressionNode;
}
/** `for value in list`, `for key, value in object`, `for index, value in list`. */
export interface For extends ItemBase {
  readonly kind: "for";
  readonly key?: Name;
  readonly variable: Name;
  readonly iterable: ExpressionNode;
  readonly body: Body;
}
export interface If extends ItemBase {
  readonly kind: "if";
  readonly test: ExpressionNode;
  readonly consequent: Body;
  readonly alternate?: Body;
}
export interface AttributeNode extends ItemBase {
  readonly kind: "attribute";
  readonly name: Name;
  readonly value: ExpressionNode;
}
/** Any block, `daemon`, `plugin` and `test` included. `type` has two names when it is dotted: `acme.chat`. */
export interface BlockNode extends ItemBase {
  readonly kind: "block";
  readonly type: readonly [Name] | readonly [Name, Name];
  readonly labels: ReadonlyArray<StringLiteral | TemplateLiteral>;
  readonly body: Body;
}
/** An invalid statement. A diagnostic exists for it. */
export interface BadItem extends ItemBase {
  readonly kind: "bad_item";
}

export type Item =
  | Let
  | ParameterNode
  | Import
  | Mixin
  | Use
  | For
  | If
  | AttributeNode
  | BlockNode
  | BadItem;

/** `{ … }`; the span includes the braces. */
export interface Body extends Span {
  readonly items: readonly Item[];
}

export interface File extends Span {
  readonly kind: "file";
  readonly items: readonly Item[];
}

export type SyntaxNode =
  | File
  | Item
  | ExpressionNode
  | CallArgument
  | ObjectEntry
  | TemplateText
  | TemplateHole;
