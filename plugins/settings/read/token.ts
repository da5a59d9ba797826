/** Tokens of a settings file, and how readers report findings about them. */
import type { SettingsFinding, TextSpan } from "./finding.js";

export type JsonToken = TextSpan &
  (
    | { readonly kind: "{" | "}" | "[" | "]" | ":" | "," | "end" }
    | { readonly kind: "string"; readonly value: string }
    /** Numbers, `true`, `false`, `null`, and where `literal` is false a name that is none of these. */
    | { readonly kind: "literal"; readonly value: unknown; readonly text: string }
    | { readonly kind: "name"; readonly text: string }
  );

export type ReportFinding = (
  finding: Omit<SettingsFinding, "severity"> & { readonly span: TextSpan },
) => void;

export const SYNTAX = "syntax";
