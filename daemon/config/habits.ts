/** Names of other languages, and how the same is written here. */
import { ownProperty } from "./own-property.js";

const LET = "a value is declared by `let`: let name = value";
const BLOCKS: Readonly<Record<string, string>> = {
  variable: 'an input is a value: let name = env("NAME")',
  locals: LET,
  local: LET,
  output: LET,
  vars: LET,
  module: 'files are imported: import "./file.reeve" as name',
  include: 'files are imported: import "./file.reeve" as name',
  terraform: "settings of the daemon are in its block: daemon { … }",
  global: "settings of the daemon are in its block: daemon { … }",
  provider: 'plugins are declared by: plugin "name" { source = "npm:…" }',
  resource: 'the kind stands first: hook "deploy" { … }',
  data: 'the kind stands first: hook "deploy" { … }',
  dynamic: "blocks are repeated by a loop: for name in values { … }",
  while: "a loop has a collection: for name in values { … }",
  try: "a default for a failed value is a call: try(value, default)",
};

const ATTRIBUTES: Readonly<Record<string, string>> = {
  for_each: "blocks are repeated by a loop: for name in values { … }",
  count: "blocks are repeated by a loop: for name in range(3) { … }",
  depends_on:
    "the order follows from references: write a reference to the other block where its value is needed",
  include: 'files are imported: import "./file.reeve" as name',
  extends: "a body takes over a mixin: use mixin.name",
};

const NAMES: Readonly<Record<string, string>> = {
  True: "true",
  TRUE: "true",
  yes: "true",
  Yes: "true",
  on: "true",
  On: "true",
  False: "false",
  FALSE: "false",
  no: "false",
  No: "false",
  off: "false",
  Off: "false",
  None: "null",
  nil: "null",
  NULL: "null",
  Null: "null",
  undefined: "null",
};

/** Advice about a kind of block that does not exist here. */
export const adviceOnBlock = (kind: string): string | undefined => ownProperty(BLOCKS, kind);

/** Advice about an attribute that does not exist here. */
export const adviceOnAttribute = (name: string): string | undefined =>
  ownProperty(ATTRIBUTES, name);

/** The constant that a word of another language means. */
export const constantFor = (name: string): string | undefined => ownProperty(NAMES, name);

/** `PT1H30M` as a duration of the language. */
export function isoDuration(name: string): string | undefined {
  const [, hours, minutes, seconds] = /^PT(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?$/.exec(name) ?? [];
  const parts = [hours && `${hours}h`, minutes && `${minutes}m`, seconds && `${seconds}s`];
  return parts.filter(Boolean).join("") || undefined;
}
