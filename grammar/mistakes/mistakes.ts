/**
 * What happens where the grammar finds something else than it needs: something is said, and reading goes on elsewhere.
 * The words are in `expected.ts` and `forms.ts`; here is decided which of them and how much is skipped.
 */

import { isFirstOnLine, match, skipBlanks, startOfBlanks } from "../reading/lexemes.js";
import type { Nesting } from "../reading/nesting.js";
import { abandonedBlockEnd } from "../reading/strings.js";
import type { Brackets } from "./brackets.js";
import {
  danglingOperator,
  expectedEntry,
  expectedStatement,
  expectedValue,
  strayCloser,
} from "./expected.js";
import { brokenHeader, foreignStatement, unopenedBody } from "./foreign-statements.js";
import * as forms from "./forms.js";
import { describeLexeme, endsLine, lexemeEndOnLine } from "./here.js";
import { createMistake, type Mistake } from "./mistake.js";
import type { MistakeList } from "./mistake-list.js";
import * as names from "./names.js";
import type { Skipper } from "./skip.js";
import { shellParameter } from "./unclosed.js";

const BLOCK_HEADER = /[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)?(?:[ \t]+"[^"\r\n]*")*[ \t]*\{/y;

/** Methods are given a place and give back where to go on; a negative result means that this is not the mistake. */
export class Mistakes {
  constructor(
    private readonly text: string,
    private readonly complaints: MistakeList,
    private readonly nesting: Nesting,
    private readonly skipper: Skipper,
    private readonly brackets: Brackets,
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
      const mark = text.lastIndexOf("/-", at);
      return this.#say(
        createMistake("E016", mark, mark + 2, "`/-` stands directly before the item it disables"),
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

  /** A statement of another language, or a block whose header is wrong: skipped with its body. */
  foreign(at: number): number {
    const recovery = foreignStatement(this.text, at) ?? brokenHeader(this.text, at);
    if (recovery === undefined) return -1;
    this.#say(recovery.complaint);
    const { text, skipper } = this;
    if (recovery.complaint.label === "expected `{`") return recovery.resume;
    const end =
      text.charAt(recovery.resume) === "{" ? recovery.resume : skipper.statement(recovery.resume);
    if (text.charAt(end) === "{") return skipper.group(end);
    return /:[ \t]*$/.test(text.slice(at, end)) ? abandonedBlockEnd(text, at) : end;
  }

  strayBrace(at: number): true {
    return this.#note(strayCloser(this.text, at).complaint);
  }

  misspeltName(at: number): number {
    return this.#offer(names.hyphenatedName(this.text, at) ?? names.quotedName(this.text, at));
  }

  /** `elif` and its like, which end at `at`. */
  elseIf(at: number, words: string): true {
    return /\s/.test(words) || this.#note(names.elseIf(at - words.length, at));
  }

  hyphenatedKey(at: number): number {
    return this.#offer(names.hyphenatedKey(this.text, at));
  }

  bareLabel(at: number): number {
    return this.#offer(names.bareLabel(this.text, at));
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
    const recovery = forms.braceBelow(this.text, at);
    return recovery === undefined ? -1 : this.#say(recovery.complaint, recovery.resume);
  }

  body(at: number): number {
    const below = this.braceBelow(at);
    if (below >= 0) return below;
    const unopened = unopenedBody(this.text, at, startOfBlanks(this.text, at));
    if (unopened) return this.#say(unopened.complaint, unopened.resume);
    this.#say(forms.missingBody(this.text, at));
    return this.skipper.statement(at);
  }

  // ---------------------------------------------------------------- expressions

  value(at: number): number {
    const { lines, innermost } = this.nesting;
    const shell = lines === "final" ? shellParameter(this.text, innermost) : undefined;
    if (shell !== undefined) return this.#say(shell, at);
    const recovery = expectedValue(this.text, at);
    return this.#say(recovery.complaint, recovery.resume);
  }

  /** An operator at a line's end: reading goes on with the line below, if that is a value. */
  danglingOperator(at: number): number {
    if (this.nesting.lines !== "separate") return -1;
    const recovery = danglingOperator(this.text, at);
    return recovery === undefined ? -1 : this.#say(recovery.complaint, recovery.resume);
  }

  colon(at: number): true {
    const location = skipBlanks(this.text, at);
    const end = lexemeEndOnLine(this.text, location);
    return this.#note(
      createMistake(
        "E034",
        location,
        end,
        `expected \`:\`, found ${describeLexeme(this.text, location)}`,
        {
          help: "write both branches: test ? this : that",
        },
      ),
    );
  }

  parameterType(at: number): true {
    return this.#note(forms.missingParameterType(this.text, at));
  }

  forColon(at: number): true {
    return this.#note(forms.expectedInFor(this.text, at, ":", this.nesting.innermost));
  }

  forArrow(at: number): true {
    return this.#note(forms.expectedInFor(this.text, at, "=>", this.nesting.innermost));
  }

  listFor(at: number): number {
    const opening = this.nesting.innermost;
    this.#say(forms.brokenListFor(this.text, at, opening));
    return this.brackets.skipTo(this.text.charAt(opening) === "{" ? "}" : "]", at);
  }

  entry(at: number): number {
    const { complaint: said, resume } = expectedEntry(this.text, at);
    this.#say(said);
    // Something must be passed, or the same entry would be tried for ever.
    const end = Math.max(this.skipper.entry(resume), at + 1);
    return this.text.charAt(end) === "," ? end + 1 : end;
  }

  /** Whether a block seems to begin here. */
  looksLikeBlock(at: number): boolean {
    return match(BLOCK_HEADER, this.text, at) > 0 && isFirstOnLine(this.text, at);
  }

  // ---------------------------------------------------------------- saying it

  #say(said: Mistake, resume = said.end): number {
    this.complaints.add(said);
    return resume;
  }

  #note(said: Mistake): true {
    this.complaints.add(said);
    return true;
  }

  #offer(said: Mistake | undefined): number {
    return said === undefined ? -1 : this.#say(said);
  }
}
