/** Values: literals of the expected type, names, functions. */
import { CompletionItemKind } from "vscode-languageserver-protocol";
import type { TypeDescriptor } from "../../../../daemon/plugin-api/descriptor.js";
import type { CursorContext } from "../../language/cursor-context.js";
import { alternativesOf, runTimeNames, signatureOf } from "../../language/schema.js";
import { isIdentifier } from "../../language/syntax.js";
import { aboutAttribute, aboutFunction, aboutRunTimeName } from "../documentation.js";
import {
  aliases,
  aliasTarget,
  blocksOf,
  type CompletionPoint,
  definitions,
  keysReadFrom,
  markdown,
  parametersOf,
  paths,
  quoted,
  type Suggestion,
  visible,
} from "./names.js";
import { attributeSnippet, placeholderFor } from "./snippets.js";

type ValueContext = Extract<CursorContext, { at: "value" }>;

export function values(at: CompletionPoint, context: ValueContext): readonly Suggestion[] {
  const { path, string } = at.cursor;
  const types = alternativesOf(context.type);
  if (string?.indexOf) return indexes(at, string.indexOf);
  if (string) return strings(at, context, types);
  if (context.keyOf) {
    const keys = objectKeys(context.keyOf);
    if (keys.length > 0) return keys;
  }
  if (path.length > 0) return members(at, path);
  return [
    ...types.flatMap((type) => literals(at, type)),
    ...examples(context),
    ...namedParameters(at, context),
    ...Array.from(
      runTimeNames(context.attribute?.type),
      ([name, described]): Suggestion => ({
        label: name,
        kind: CompletionItemKind.Variable,
        detail: "known at run time",
        documentation: markdown(aboutRunTimeName(name, described)),
        sortText: `3${name}`,
      }),
    ),
    ...visible(at, "variable"),
    { label: "let", insertText: "let.", kind: CompletionItemKind.Keyword, sortText: "4let" },
    ...aliases(at),
    ...functions(at),
  ];
}

function strings(
  at: CompletionPoint,
  context: ValueContext,
  types: readonly TypeDescriptor[],
): readonly Suggestion[] {
  if (context.call?.name === "file") return paths(at);
  if (context.call?.name === "secret")
    return ["env:", "file:"].map((label) => ({ label, kind: CompletionItemKind.Constant }));
  const literal = types.flatMap((type) =>
    type.type === "enum" ? type.values.map((value) => quoted(at, String(value))) : [],
  );
  const written = at.document.text.slice(at.cursor.word.start, at.cursor.offset);
  const isPath = types.some(({ type }) => type === "path") || /^\.{0,2}\//.test(written);
  return isPath ? [...literal, ...paths(at)] : literal;
}

function literals(at: CompletionPoint, type: TypeDescriptor): readonly Suggestion[] {
  switch (type.type) {
    case "enum":
      return type.values.map((value) =>
        typeof value === "string"
          ? quoted(at, value)
          : { label: String(value), kind: CompletionItemKind.EnumMember },
      );
    case "boolean":
      return ["true", "false"].map((label) => ({
        label,
        kind: CompletionItemKind.Value,
        sortText: `0${label}`,
      }));
    case "reference":
      return blocksOf(at, type.kind).map((label) => ({
        label,
        kind: CompletionItemKind.Reference,
        sortText: `0${label}`,
      }));
    case "secret":
      return [
        {
          label: "secret",
          kind: CompletionItemKind.Function,
          snippet: `secret("\${1|env:,file:|}\${2:NAME}")`,
          insertText: "secret(",
          sortText: "0secret",
        },
      ];
    default: {
      const snippet = placeholderFor(type);
      return snippet === undefined
        ? []
        : [
            {
              label: snippet.label,
              snippet: snippet.text,
              insertText: snippet.label,
              kind: CompletionItemKind.Snippet,
              sortText: "1",
            },
          ];
    }
  }
}

function examples({ attribute, type }: ValueContext): readonly Suggestion[] {
  if (!attribute || attribute.type !== type) return [];
  const texts = [
    ...(attribute.default === undefined ? [] : [attribute.default]),
    ...(attribute.examples ?? []),
  ];
  return [...new Set(texts)].map((label) => ({
    label,
    kind: CompletionItemKind.Value,
    detail: label === attribute.default ? "default" : "example",
    sortText: `1${label}`,
  }));
}

function namedParameters(at: CompletionPoint, { call }: ValueContext): readonly Suggestion[] {
  const own = call ? parametersOf(at, call.name) : undefined;
  if (own) return call?.named === undefined ? own : [];
  const called = call && at.project.vocabulary.function(call.name);
  if (!called || call.named !== undefined || call.argument === 0) return [];
  return called.parameters
    .slice(call.argument)
    .flatMap(({ name, rest }) =>
      rest ? [] : [{ label: `${name} = `, kind: CompletionItemKind.Field, sortText: `1${name}` }],
    );
}

function functions(at: CompletionPoint): readonly Suggestion[] {
  const inTest = at.context.bodies[0]?.kind === "test";
  return at.project.vocabulary.functions(inTest).map((each) => ({
    label: each.name,
    kind: CompletionItemKind.Function,
    detail: signatureOf(each),
    snippet: `${each.name}($0)`,
    insertText: `${each.name}(`,
    documentation: markdown(aboutFunction(each)),
    command: { title: "parameters", command: "editor.action.triggerParameterHints" },
    sortText: `5${each.name}`,
  }));
}

/** What stands behind the dot of a path. */
function members(at: CompletionPoint, path: readonly string[]): readonly Suggestion[] {
  const [first = "", second] = path;
  if (first === "let" && path.length === 1) return visible(at, "let");
  const imported = aliasTarget(at, first);
  if (imported !== undefined) {
    if (path.length === 1)
      return ["let", "mixin"].map((label) => ({ label, kind: CompletionItemKind.Keyword }));
    return second === "let" && path.length === 2 ? definitions(at, "let", imported) : [];
  }
  const { kinds } = at.project.vocabulary;
  const kind = kinds.has(path.join(".")) ? path.join(".") : first;
  if (kinds.has(kind)) return blockMembers(at, kind, path.slice(kind.split(".").length));
  const namespaced = at.project.vocabulary
    .functions()
    .filter(({ name }) => name.startsWith(`${path.join(".")}.`))
    .map(
      (each): Suggestion => ({
        label: each.name.slice(path.join(".").length + 1),
        kind: CompletionItemKind.Function,
        documentation: markdown(aboutFunction(each)),
      }),
    );
  return [...namespaced, ...keysReadFrom(at, path)];
}

function blockMembers(
  at: CompletionPoint,
  kind: string,
  labels: readonly string[],
): readonly Suggestion[] {
  if (labels.length === 0) {
    return blocksOf(at, kind)
      .map((key) => {
        const label = key.slice(kind.length).replace(/^\./, "");
        return { label, kind: CompletionItemKind.Reference };
      })
      .filter(({ label }) => isIdentifier(label));
  }
  const { exports = {} } = at.project.vocabulary.kinds.get(kind) ?? {};
  return Object.entries(exports).map(([label, { doc = "" }]) => ({
    label,
    kind: CompletionItemKind.Property,
    documentation: markdown(doc),
  }));
}

function indexes(at: CompletionPoint, path: readonly string[]): readonly Suggestion[] {
  const kind = path.join(".");
  if (!at.project.vocabulary.kinds.has(kind)) return keysReadFrom(at, path);
  return blocksOf(at, kind).map((key) => ({
    label: /\["(.*)"\]$/.exec(key)?.[1] ?? key.slice(kind.length + 1),
    kind: CompletionItemKind.Reference,
  }));
}

function objectKeys(type: TypeDescriptor): readonly Suggestion[] {
  return alternativesOf(type).flatMap((each) =>
    each.type === "object"
      ? Object.entries(each.attributes).map(([label, attribute]) => ({
          label,
          kind: CompletionItemKind.Property,
          snippet: attributeSnippet(label, attribute),
          insertText: `${label} = `,
          documentation: markdown(aboutAttribute(label, attribute)),
        }))
      : [],
  );
}
