import { match, NUMBER } from "../reading/lexemes.js";
import { complaint } from "./complaint.js";
import { lexemeEnd, wordAt } from "./here.js";
import { isUnitLike } from "./number-faults.js";
import type { Setback } from "./setback.js";
import { unquoted } from "./unquoted.js";
import { code } from "./wording.js";

/** Mistakes in which a value that began at `start` was meant to include what stands at `place`. */
export function valueGoesOn(
  text: string,
  start: number,
  place: number,
  at: number,
): Setback | undefined {
  const value = text.slice(start, at);
  const word = wordAt(text, place);
  const end = lexemeEnd(text, place);
  const isNumber = match(NUMBER, text, start) === at;
  if (isNumber && word !== "" && isUnitLike(word) && place > at) {
    return {
      complaint: complaint("E027", start, end, "a unit is attached to its number", {
        label: `write ${code(value + word)}`,
        replacement: value + word,
      }),
      resume: end,
    };
  }
  const character = text.charAt(place);
  if (place > at && (character === "(" || character === "[" || character === ".")) {
    return {
      complaint: complaint("E037", place, place + 1, `a blank stands before ${code(character)}`, {
        label: "it belongs directly behind the value",
        fix: { title: "remove the blank", edits: [{ start: at, end: place, text: "" }] },
      }),
      resume: end,
    };
  }
  if (character === ".") {
    const digits = /\.([0-9]+)/y;
    digits.lastIndex = place;
    const index = digits.exec(text)?.[1];
    return {
      complaint: complaint("E033", place, place + 1, "expected a name after `.`", {
        ...(index !== undefined && {
          label: `an element is ${code(`[${index}]`)}`,
          fix: {
            title: `write ${code(`[${index}]`)}`,
            edits: [{ start: place, end: place + 1 + index.length, text: `[${index}]` }],
          },
        }),
      }),
      resume: end,
    };
  }
  if (character === "=") {
    return {
      complaint: complaint(
        "E033",
        place,
        place + 1,
        "`=` gives a value to a name and stands only once",
        {
          label: "to compare, write `==`",
          replacement: "==",
        },
      ),
      resume: place + 1,
    };
  }
  if (/^(?:\.{1,2}|~)?\/|:\/\//.test(value + text.slice(at, end)) || character === "@") {
    return unquoted(text, start);
  }
  if (character === '"' && /["\w)\]}]$/.test(value)) {
    return {
      complaint: complaint("E033", place, end, `expected an operator between two values`, {
        help: "strings are joined by `+`, or inside one string",
      }),
      resume: end,
    };
  }
  return undefined;
}
