/**
 * What happens where a bracket, a body, a hole or a block string is not closed, or is nested too deeply: something is
 * said, it counts as closed, and reading goes on.
 */
import { isLineEnd, looksLikeItem, match, skipBlanks, skipTrivia } from "../reading/lexemes.js";
import { LIMITS } from "../reading/limits.js";
import type { Nesting } from "../reading/nesting.js";
import { abandonedBlockEnd } from "../reading/strings.js";
import { createMistake, type Mistake } from "./mistake.js";
import type { MistakeList } from "./mistake-list.js";
import type { Skipper } from "./skip.js";
import * as unclosed from "./unclosed.js";

/** Up to the `}` of a hole, if that is not far. */
const REST_OF_INTERPOLATION = /[^"}\r\n]{0,500}\}/y;
const LONGEST_OPENING = 200;
/** A line up to the quotes of a new block string. */
const OPENING = /(?:^|[\r\n])[ \t]*[A-Za-z_]\w*(?:[ \t]+\w+)?[ \t]*=[ \t]*r?$/;
/** Methods are given a place and give back where to go on. */
export class Brackets {
  /** A block string without an end was met; behind it no other can have one. */
  blocksStayOpen = false;
  /** Bodies that were still open at the end of the file. */
  unclosedBodies = 0;

  constructor(
    private readonly text: string,
    private readonly complaints: MistakeList,
    private readonly nesting: Nesting,
    private readonly skipper: Skipper,
  ) {}

  /** A group that is nested too deeply is skipped. */
  tooDeep(at: number): number {
    this.#say(
      createMistake("E041", at, at + 1, `nested more than ${LIMITS.nesting} levels deep`, {
        label: "one level too many",
      }),
    );
    return this.skipper.group(at);
  }

  square(at: number): number {
    return this.#bracket("]", at);
  }

  round(at: number): number {
    return this.#bracket(")", at);
  }

  object(at: number): number {
    return this.#bracket("}", at);
  }

  /** A bracket is not closed where its content ends. */
  #bracket(closer: string, at: number): number {
    const { text, nesting } = this;
    const opening = nesting.innermost;
    const next = nesting.lines === "ignored" ? skipTrivia(text, at) : skipBlanks(text, at);
    const character = text.charAt(next);
    const isEnd = character === "" || isLineEnd(text.charCodeAt(next)) || looksLikeItem(text, next);
    if (
      isEnd ||
      this.endsString(next) ||
      character === "}" ||
      isOuterCloser(text, nesting, character)
    ) {
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
    return this.skipTo(closer, next);
  }

  /** Closes the innermost bracket and skips behind `closer`, if it comes before anything else closes. */
  skipTo(closer: string, from: number): number {
    let at = this.skipper.element(from);
    while (this.text.charAt(at) === ",") at = this.skipper.element(at + 1);
    this.nesting.close();
    return this.text.charAt(at) === closer ? at + 1 : at;
  }

  /** A `${` is not closed behind its expression: goes behind the next `}` on the line, or stays in the string. */
  interpolation(at: number): number {
    const { text } = this;
    const opening = this.nesting.innermost;
    const next = skipBlanks(text, at);
    const end = match(REST_OF_INTERPOLATION, text, next);
    this.nesting.close();
    if (end < 0) return this.#say(unclosed.unclosedInterpolation(opening), at);
    this.#say(unclosed.shellParameter(text, opening) ?? unclosed.expectedCloser(text, next, "}"));
    return end;
  }

  /** A body ends without `}`. */
  body(at: number): true {
    const brace = this.nesting.innermost;
    this.nesting.close();
    if (skipTrivia(this.text, at) < this.text.length) {
      return this.#note(unclosed.missingBrace(brace, at));
    }
    this.unclosedBodies++;
    return this.#note(unclosed.unclosedBody(brace));
  }

  /** In a hole: whether a `"` is the last on its line, so that it closes the string around the hole. */
  endsString(at: number): boolean {
    const { text, nesting } = this;
    if (text.charAt(at) !== '"' || nesting.lines !== "final") return false;
    const next = text.indexOf('"', at + 1);
    return next < 0 || /[\r\n]/.test(text.slice(at, next));
  }

  /** Whether the quotes at `at`, which could close a block string, open another: then the first one was never closed. */
  opensAnother(at: number): boolean {
    return OPENING.test(this.text.slice(Math.max(0, at - LONGEST_OPENING), at));
  }

  /** A block string goes on to `at`, the end of the file or another one: it is cut where it was probably meant to end. */
  cutBlock(start: number, at: number): number {
    this.blocksStayOpen ||= at >= this.text.length;
    this.complaints.forgetBehind(start);
    return this.#say(unclosed.unclosedBlock(start), abandonedBlockEnd(this.text, start));
  }

  /** A block string where none may be. */
  refuseBlock(at: number): number {
    const end = at + (this.text.charAt(at) === "r" ? 4 : 3);
    if (this.nesting.lines === "final") {
      return this.#say(unclosed.blockInInterpolation({ start: at, end }), end);
    }
    return this.#say(unclosed.unclosedBlock(at), abandonedBlockEnd(this.text, at));
  }

  #say(said: Mistake, resume = said.end): number {
    this.complaints.add(said);
    return resume;
  }

  #note(said: Mistake): true {
    this.complaints.add(said);
    return true;
  }
}

/** A `)` that some outer bracket waits for, while we wait for another. */
function isOuterCloser(text: string, nesting: Nesting, character: string): boolean {
  const opener = character === ")" ? "(" : character === "]" ? "[" : "";
  return opener !== "" && nesting.includes(text, opener);
}
