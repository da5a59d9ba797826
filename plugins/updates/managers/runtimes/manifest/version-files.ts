/** Files that hold nothing but versions: `.nvmrc`, `.tool-versions`, `rust-toolchain`, and the directive of `go.mod`. */
import { readToml, type TomlNode, tomlAt, tomlMembers } from "../../../text/toml.js";
import { type FoundVersion, spanOf } from "./found.js";

type Reader = (file: string, text: string) => readonly FoundVersion[];

/** The first word that is no comment. */
const FIRST_WORD = /^(\uFEFF?(?:[ \t]*(?:#.*)?\r?\n)*[ \t]*)([^\s#]+)/;

export const ofFirstWord =
  (tool: string, section: string): Reader =>
  (_file, text) => {
    const [, before, value] = FIRST_WORD.exec(text) ?? [];
    if (before === undefined || value === undefined) return [];
    return [{ tool, section, ...spanOf(value, before.length) }];
  };

/** `python-3.12.1` */
export const ofRuntimeTxt: Reader = (file, text) =>
  ofFirstWord("python", "runtime.txt")(file, text).filter(({ value }) => /^python-/.test(value));

/** A tool a line, then its versions, of which the first is used. */
export const ofToolVersions: Reader = (_file, text) =>
  [...text.matchAll(/^(\uFEFF?[ \t]*)([\w:@/.-]+)([ \t]+)([^\s#]+)/gm)].map(
    ({ 1: lead = "", 2: tool = "", 3: gap = "", 4: value = "", index }) => ({
      ...{ tool, section: "tools" },
      ...spanOf(value, index + lead.length + tool.length + gap.length),
    }),
  );

/** The directive `go` is a minimum and stays. */
export const ofGoMod: Reader = (_file, text) =>
  [...text.matchAll(/^(\uFEFF?[ \t]*toolchain[ \t]+)(go[\w.]+)/gm)].map(
    ({ 1: lead = "", 2: value = "", index }) => ({
      ...{ tool: "go", section: "toolchain" },
      ...spanOf(value, index + lead.length),
    }),
  );

/** The old form is the channel alone. */
export const ofRustToolchain: Reader = (file, text) =>
  /^\s*\[/m.test(text)
    ? ofToml("rust", "toolchain", tomlAt(readToml(file, text), "toolchain", "channel"))
    : ofFirstWord("rust", "toolchain")(file, text);

/** The version is a text, the first of a list, or in a table. */
export const ofMise: Reader = (file, text) =>
  tomlMembers(readToml(file, text), "tools").flatMap(([tool, node]) => {
    const [first] = node.kind === "list" ? node.items : [node];
    return ofToml(tool, "tools", first?.kind === "table" ? tomlAt(first, "version") : first);
  });

function ofToml(
  tool: string,
  section: string,
  node: TomlNode | undefined,
): readonly FoundVersion[] {
  if (node?.kind !== "text" || !node.range) return [];
  return [{ tool, section, value: node.value, range: node.range }];
}
