/**
 * What happens where the grammar finds something else than it needs: something is said, and reading goes on elsewhere.
 * The words are in `expected.ts`, `forms.ts` and `unclosed.ts`; here is decided which of them and how much is skipped.
 */

import {
  isFirstOnLine,
  isLineEnd,
  looksLikeItem,
  match,
  skipBlanks,
  skipLine,
  skipTrivia,
} from "../reading/lexemes.js";
import { LIMITS } from "../reading/limits.js";
import type { Nesting } from "../reading/nesting.js";
import { abandonedBlockEnd } from "../reading/strings.js";
import { type Complaint, complaint } from "./complaint.js";
import type { Complaints } from "./complaints.js";
import {
  danglingOperator,
  expectedEntry,
  expectedStatement,
  expectedValue,
  strayCloser,
} from "./expected.js";
import * as forms from "./forms.js";
import { endsLine, found, lexemeEnd } from "./here.js";
import type { Skipper } from "./skip.js";
import * as unclosed from "./unclosed.js";

const BLOCK_HEADER = /[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?(?:[ \t]+"[^"\r\n]*")*[ \t]*\{/y;

/** Methods are given a place and give back where to go on; a negative result means that this is not the mistake. */
export class Mistakes {
  /** A block string without an end was met; behind it no other can have one. */
  blocksStayOpen = false;
  /** Bodies that were still open at the end of the file. */
  unclosedBodies = 0;

  constructor(
    private readonly text: string,
    private readonly complaints: Complaints,
    private readonly nesting: Nesting,
    private readonly skipper: Skipper,
  ) {}

  // ---------------------------------------------------------------- statements

  /** A statement that cannot be read at all: skipped up to its end or to the body that belongs to it. */
  statement(at: number): number {
    const { text } = this;
    if (text.charAt(at) === "{") {
      this.#say(expectedStatement(text, at).complaint);
      return at;
    }
    if (endsLine(text, at)) {
      return this.#say(
        complaint("E016", at - 2, at, "`/-` stands directly before the item it switches off"),
        at,
      );
    }
    const {
      complaint: said,
      resume,
      harmless,
    } = forms.brokenForm(text, at) ?? forms.loneName(text, at) ?? expectedStatement(text, at);
    this.#say(said);
    return harmless ? resume : this.skipper.statement(resume);
  }

  strayBrace(at: number): true {
    return this.#note(strayCloser(this.text, at).complaint);
  }

  hyphenated(at: number): number {
    return this.#offer(forms.hyphenatedName(this.text, at));
  }

  hyphenatedKey(at: number): number {
    return this.#offer(forms.hyphenatedKey(this.text, at));
  }

  bareLabel(at: number): number {
    return this.#offer(forms.bareLabel(this.text, at));
  }

  wrongEquals(at: number): number {
    return this.#offer(forms.wrongEquals(this.text, at));
  }

  absentEquals(at: number): boolean {
    const said = forms.absentEquals(this.text, at);
    return said !== undefined && this.#note(said);
  }

  missingEquals(at: number): true {
    return this.#note(forms.missingEquals(this.text, at));
  }

  braceBelow(at: number): number {
    const setback = forms.braceBelow(this.text, at);
    return setback === undefined ? -1 : this.#say(setback.complaint, setback.resume);
  }

  body(at: number): number {
    const below = this.braceBelow(at);
    if (below >= 0) return below;
    this.#say(forms.missingBody(this.text, at));
    return this.skipper.statement(at);
  }

  elseIf(at: number): true {
    return this.#note(forms.elseIf(at));
  }

  // ---------------------------------------------------------------- expressions

  value(at: number): number {
    const shell = this.nesting.lines === "final" ? this.#shellParameter() : undefined;
    if (shell !== undefined) return this.#say(shell, at);
    const setback = expectedValue(this.text, at);
    return this.#say(setback.complaint, setback.resume);
  }

  /** An operator at a line's end: reading goes on with the line below, if that is a value. */
  danglingOperator(at: number): number {
    if (this.nesting.lines !== "separate") return -1;
    const setback = danglingOperator(this.text, at);
    return setback === undefined ? -1 : this.#say(setback.complaint, setback.resume);
  }

  colon(at: number): true {
    const place = skipBlanks(this.text, at);
    const end = Math.max(
      place,
      isLineEnd(this.text.charCodeAt(place)) ? place : lexemeEnd(this.text, place),
    );
    return this.#note(
      complaint("E034", place, end, `expected \`:\`, found ${found(this.text, place)}`, {
        help: "a conditional has both ways: test ? this : that",
      }),
    );
  }

  listColon(at: number): true {
    const message = `expected \`:\`, found ${found(this.text, at)}`;
    return this.#note(
      complaint("E035", at, lexemeEnd(this.text, at), message, {
        help: "write it as `[for name in values: result]`",
      }),
    );
  }

  listFor(at: number): number {
    this.#say(forms.brokenListFor(this.text, at));
    return this.#toCloser("]", at);
  }

  entry(at: number): number {
    const { complaint: said, resume } = expectedEntry(this.text, at);
    this.#say(said);
    const end = this.skipper.entry(resume);
    return this.text.charAt(end) === "," ? end + 1 : end;
  }

  /** An object cannot hold a block, so one that seems to has lost its `}`. */
  looksLikeBlock(at: number): boolean {
    return match(BLOCK_HEADER, this.text, at) > 0 && isFirstOnLine(this.text, at);
  }

  // ---------------------------------------------------------------- brackets

  /** A group that is nested too deeply is skipped. */
  tooDeep(at: number): number {
    this.#say(
      complaint("E041", at, at + 1, `nested more than ${LIMITS.nesting} levels deep`, {
        label: "one level too many",
      }),
    );
    return this.skipper.group(at);
  }

  unclosedSquare(at: number): number {
    return this.#unclosed("]", at);
  }

  unclosedRound(at: number): number {
    return this.#unclosed(")", at);
  }

  unclosedObject(at: number): number {
    return this.#unclosed("}", at);
  }

  /** A bracket is not closed where its content ends. */
  #unclosed(closer: string, at: number): number {
    const { text, nesting } = this;
    const opening = nesting.innermost;
    const next = nesting.lines === "ignored" ? skipTrivia(text, at) : skipBlanks(text, at);
    const character = text.charAt(next);
    const isEnd = character === "" || isLineEnd(text.charCodeAt(next)) || looksLikeItem(text, next);
    if (isEnd || character === "}" || isOuterCloser(text, nesting, character)) {
      this.#say(unclosed.unclosedBracket(text, opening, closer));
      nesting.close();
      return at;
    }
    if (character === ")" || character === "]") {
      this.#say(unclosed.wrongCloser(text, opening, next, closer));
      nesting.close();
      return next + 1;
    }
    if (closer === "}") {
      this.#say(unclosed.unclosedBracket(text, opening, closer));
      nesting.close();
      return at;
    }
    this.#say(unclosed.expectedCloser(text, next, closer));
    return this.#toCloser(closer, next);
  }

  /** Skips behind a closing bracket, if it comes before anything else closes. */
  #toCloser(closer: string, from: number): number {
    let at = this.skipper.element(from);
    while (this.text.charAt(at) === ",") at = this.skipper.element(at + 1);
    this.nesting.close();
    return this.text.charAt(at) === closer ? at + 1 : at;
  }

  /** A `${` is not closed behind its expression: goes behind the next `}` on the line, or stays in the string. */
  hole(at: number): number {
    const { text } = this;
    const opening = this.nesting.innermost;
    const next = skipBlanks(text, at);
    const lineEnd = skipLine(text, next);
    const rest = text.slice(next, lineEnd);
    const brace = /^[^"}]*\}/.exec(rest)?.[0].length ?? -1;
    this.nesting.close();
    if (brace < 0) return this.#say(unclosed.unclosedHole(opening), at);
    this.#say(unclosed.shellParameter(text, opening) ?? unclosed.expectedCloser(text, next, "}"));
    return next + brace;
  }

  #shellParameter(): Complaint | undefined {
    return unclosed.shellParameter(this.text, this.nesting.innermost);
  }

  /** A body ends without `}`. */
  closeBody(at: number): true {
    const brace = this.nesting.innermost;
    this.nesting.close();
    if (skipTrivia(this.text, at) < this.text.length) {
      return this.#note(unclosed.missingBrace(brace, at));
    }
    this.unclosedBodies++;
    return this.#note(unclosed.unclosedBody(brace));
  }

  /** A block string goes on to the end of the file: it is cut off where it was probably meant to end. */
  cutBlock(start: number): number {
    this.blocksStayOpen = true;
    this.complaints.forgetBehind(start);
    return this.#say(unclosed.unclosedBlock(start), abandonedBlockEnd(this.text, start));
  }

  /** A block string where none may be. */
  refuseBlock(at: number): number {
    const end = at + (this.text.charAt(at) === "r" ? 4 : 3);
    if (this.nesting.lines === "final") {
      return this.#say(unclosed.blockInHole({ start: at, end }), end);
    }
    return this.#say(unclosed.unclosedBlock(at), abandonedBlockEnd(this.text, at));
  }

  // ---------------------------------------------------------------- saying it

  #say(said: Complaint, resume = said.end): number {
    this.complaints.add(said);
    return resume;
  }

  #note(said: Complaint): true {
    this.complaints.add(said);
    return true;
  }

  #offer(said: Complaint | undefined): number {
    return said === undefined ? -1 : this.#say(said);
  }
}

/** A `)` that some outer bracket waits for, while we wait for another. */
function isOuterCloser(text: string, nesting: Nesting, character: string): boolean {
  const opener = character === ")" ? "(" : character === "]" ? "[" : "";
  return opener !== "" && nesting.includes(text, opener);
}
