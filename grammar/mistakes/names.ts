/** Names, keys and labels that are written in another way. */
import { isBlank, match } from "../reading/lexemes.js";
import { createMistake, type Mistake } from "./mistake.js";
import { code } from "./wording.js";

const HYPHENATED = /[A-Za-z_]\w*(?:-\w+)+/y;
const BARE_LABEL = /'[^'\r\n]*'|(?:[^\s"'{}()[\];#=,:]|(?<=[0-9]),(?=[0-9]))+/y;

/** A name with hyphens. */
export function hyphenatedName(text: string, at: number): Mistake | undefined {
  const end = match(HYPHENATED, text, at);
  if (end < 0) return undefined;
  const meant = text.slice(at, end).replaceAll("-", "_");
  return createMistake("E012", at, end, `the name ${code(text.slice(at, end))} has a hyphen`, {
    label: `write ${code(meant)}`,
    help: "a hyphen is a minus: names are made of letters, digits and `_`",
    replacement: meant,
  });
}

const QUOTED_NAME = /"[A-Za-z_][\w-]*"(?=[ \t]*(?::|=(?!=)))/y;

/** A name in quotes, as in JSON. */
export function quotedName(text: string, at: number): Mistake | undefined {
  const end = match(QUOTED_NAME, text, at);
  if (end < 0) return undefined;
  const meant = text.slice(at + 1, end - 1).replaceAll("-", "_");
  return createMistake("E012", at, end, "the name of an attribute has no quotes", {
    label: `write ${code(meant)}`,
    replacement: meant,
  });
}

/** `elif` */
export function elseIf(start: number, end: number): Mistake {
  return createMistake("E015", start, end, "a further condition begins with `else if`", {
    label: "write `else if`",
    replacement: "else if",
  });
}

/** A key with hyphens, which needs quotes. */
export function hyphenatedKey(text: string, at: number): Mistake | undefined {
  const end = match(HYPHENATED, text, at);
  if (end < 0) return undefined;
  const meant = `"${text.slice(at, end)}"`;
  return createMistake("E036", at, end, "a key with a hyphen needs quotes", {
    label: `write ${code(meant)}`,
    replacement: meant,
  });
}

/** A label without double quotes. */
export function bareLabel(text: string, at: number): Mistake | undefined {
  const end = isBlank(text, at - 1) ? match(BARE_LABEL, text, at) : -1;
  if (end < 0) return undefined;
  const label = text.slice(at, end);
  if (label.startsWith("$")) {
    return createMistake("E025", at, end, `${code(label)} is not a name`, {
      help: 'a label is a string; values stand in it as "${let.name}" or "${env("NAME")}"',
    });
  }
  if (/[\^$*+?\\|]/.test(label) && !label.startsWith("'")) {
    return createMistake("E011", at, end, "a label is a string, not a pattern", {
      help: "conditions are attributes, such as `when` of a hook",
    });
  }
  const meant = `"${label.replace(/^'|'$/g, "").replaceAll(",", "")}"`;
  return createMistake("E011", at, end, "a label needs quotes", {
    label: `write ${code(meant)}`,
    replacement: meant,
  });
}
