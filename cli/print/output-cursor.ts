/** What has been printed of an output that still grows. */
import type { RunRecord } from "../../daemon/http/control/api.js";
import { manyLines } from "./text.js";

type RunOutput = RunRecord["output"];

export class OutputCursor {
  #before: RunOutput = { text: "", bytes: 0, omitted: 0 };
  #atLineStart = true;

  /** What has come since the last time, fit for a terminal. Where a part of it was not kept, that is said. */
  next(output: RunOutput): string {
    const shown = manyLines(this.#freshPart(output));
    this.#before = output;
    if (shown !== "") this.#atLineStart = shown.endsWith("\n");
    return shown;
  }

  /** What is missing to a whole last line. */
  end(): string {
    return this.#atLineStart ? "" : "\n";
  }

  #freshPart({ text, bytes, omitted }: RunOutput): string {
    const { text: printedText, bytes: printedBytes } = this.#before;
    if (bytes <= printedBytes) return "";
    if (omitted === 0 && text.startsWith(printedText)) return text.slice(printedText.length);
    // The text says itself where its middle is gone.
    if (printedBytes === 0) return text;
    // The middle is gone: only the last part, half of what is kept, is sure to be newer than what was printed.
    const last = text.slice(Math.floor(text.length / 2)).slice(printedBytes - bytes);
    const gap = bytes - printedBytes - Buffer.byteLength(last);
    return gap > 0 ? `… (${gap} bytes are not shown)\n${last}` : last;
  }
}
