/** Answers to an editor: diagnostics, completions, hover texts and fixes of a settings file. */
import { openDocument } from "../document.js";
import { type JsonDialect } from "../read/dialect.js";
import { type SettingsFinding, type TextSpan } from "../read/finding.js";
import { parseText } from "../read/read.js";
import { type JsonMember, type JsonNode } from "../read/tree.js";
import { checkPaths } from "../schema/check-paths.js";
import { type Checker } from "../schema/checker.js";
import { type PropertySchema, schemaProperties } from "../servers/server.js";
import { type EditorPosition, offsetOf, rangeOf } from "./position.js";

export interface OpenFile {
  readonly uri: string;
  readonly text: string;
  readonly dialect: JsonDialect;
  readonly checker: Checker;
}

const SEVERITY = { error: 1, warning: 2, info: 3 } as const;
/** Kinds of completion, as the protocol numbers them. */
const KIND = { property: 10, value: 12 } as const;

export async function diagnostics(file: OpenFile): Promise<readonly unknown[]> {
  const { uri, text, dialect, checker } = file;
  const document = openDocument(uri, Buffer.from(text), dialect, checker);
  const paths = await checkPaths(document, checker.server);
  return [...document.findings, ...paths].map((each) =>
    editorDiagnostic(file, document.text, each),
  );
}

/** `read` is the text that the finding's places are about. */
const editorDiagnostic = (
  { uri }: OpenFile,
  read: string,
  { severity, code, message, span, label, help, related }: SettingsFinding,
) => ({
  range: rangeOf(read, span ?? { start: 0, end: 0 }),
  severity: SEVERITY[severity],
  code: `settings.${code}`,
  source: "reeve",
  message: [message, label, help].filter((part) => part !== undefined).join("\n"),
  ...(related && {
    relatedInformation: [
      { location: { uri, range: rangeOf(read, related.span) }, message: related.message },
    ],
  }),
});

/** Keys that are not there yet, or the values of the key that the place belongs to. */
export function completion(file: OpenFile, position: EditorPosition): readonly unknown[] {
  const { text, dialect, checker } = file;
  const offset = offsetOf(text, position);
  const members = membersOf(parseText(text, dialect).root);
  const properties = schemaProperties(checker.server);
  const value = valueAt(text, members, offset);
  if (value !== undefined) {
    return valuesOf(properties.get(value.key)).map((each) => ({
      label: JSON.stringify(each),
      kind: KIND.value,
      textEdit: { range: rangeOf(text, value.span), newText: JSON.stringify(each) },
    }));
  }
  const within = members.find(({ keySpan }) => covers(keySpan, offset));
  const there = new Set(members.filter((each) => each !== within).map(({ key }) => key));
  const span = within?.keySpan ?? typedAt(text, offset);
  const quote = /^["']/.exec(text.slice(span.start, offset))?.[0] ?? "";
  return [...properties]
    .filter(([key]) => !there.has(key))
    .map(([key, property]) => {
      const name = dialect === "json5" && quote === "" ? key : `"${key}"`;
      const newText = within ? name : `${name}: ${JSON.stringify(property.default ?? null)}`;
      return {
        label: key,
        kind: KIND.property,
        // An editor compares it with the text that it replaces.
        filterText: `${quote}${key}${quote}`,
        documentation: property.description,
        textEdit: { range: rangeOf(text, span), newText },
      };
    });
}

/** What the key at a place means. */
export function hover({ text, dialect, checker }: OpenFile, position: EditorPosition): unknown {
  const offset = offsetOf(text, position);
  const member = membersOf(parseText(text, dialect).root).find(
    ({ keySpan, value }) => covers(keySpan, offset) || covers(value, offset),
  );
  const property = member && schemaProperties(checker.server).get(member.key);
  if (!member || !property) return null;
  const type = property.enum?.map((each) => JSON.stringify(each)).join(", ") ?? property.type;
  const value = [
    `**${member.key}**: ${[type].flat().join(" or ")}, default \`${JSON.stringify(property.default)}\``,
    property.description ?? "",
  ].join("\n\n");
  return { contents: { kind: "markdown", value }, range: rangeOf(text, member.keySpan) };
}

const membersOf = (root: JsonNode | undefined): readonly JsonMember[] =>
  root?.kind === "object" ? root.members : [];

const covers = ({ start, end }: { start: number; end: number }, offset: number): boolean =>
  start <= offset && offset <= end;

/** The key whose value is at the place, or would be, and what is there of the value. */
function valueAt(
  text: string,
  members: readonly JsonMember[],
  offset: number,
): { readonly key: string; readonly span: TextSpan } | undefined {
  const on = members.find(({ value }) => value.kind === "scalar" && covers(value, offset));
  if (on) return { key: on.key, span: on.value };
  const span = typedAt(text, offset);
  const [, key] = /["']?([\w.$-]+)["']?\s*:\s*$/.exec(text.slice(0, span.start)) ?? [];
  return key === undefined ? undefined : { key, span };
}

/** The word that is being typed, with its quotes; empty where there is none. */
function typedAt(text: string, offset: number): TextSpan {
  const start = offset - (/["']?[\w.$-]*$/.exec(text.slice(0, offset))?.[0].length ?? 0);
  const quote = /["']/.exec(text[start] ?? "")?.[0];
  const isClosed = quote !== undefined && offset > start && text[offset] === quote;
  return { start, end: isClosed ? offset + 1 : offset };
}

function valuesOf(property: PropertySchema | undefined): readonly unknown[] {
  if (!property) return [];
  const types = [property.type].flat();
  const all = property.enum ?? (types.includes("boolean") ? [true, false] : []);
  const withNull = property.default === null ? [...all, null] : all;
  return withNull.length > 0 || property.default === undefined ? withNull : [property.default];
}

export interface EditorRange {
  readonly start: EditorPosition;
  readonly end: EditorPosition;
}

/** Those that touch the range, as quick fixes of the protocol. */
export function fixes(file: OpenFile, range: EditorRange): readonly unknown[] {
  const { uri, text, dialect, checker } = file;
  const { findings, text: read } = openDocument(uri, Buffer.from(text), dialect, checker);
  const [start, end] = [offsetOf(read, range.start), offsetOf(read, range.end)];
  return findings.flatMap((finding) => {
    const { span, replacement } = finding;
    if (!span || replacement === undefined || span.start > end || span.end < start) return [];
    return [
      {
        title: replacement === "" ? "Remove it" : `Write ${replacement}`,
        kind: "quickfix",
        isPreferred: true,
        diagnostics: [editorDiagnostic(file, read, finding)],
        edit: { changes: { [uri]: [{ range: rangeOf(read, span), newText: replacement }] } },
      },
    ];
  });
}
