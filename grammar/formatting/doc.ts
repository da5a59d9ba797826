/**
 * A layout not yet decided: text with places where a line may end, in groups that are laid out on one line or broken.
 * After Philip Wadler, "A prettier printer" (2003), with groups that are broken beforehand because their author broke them.
 */

export const WIDTH = 100;
const INDENT = "  ";

export type Doc =
  | string
  | readonly Doc[]
  /**
   * Where the line ends if the group around it is broken, with an empty line behind it if `empty`;
   * `flat` stands there if it is not broken.
   */
  | { readonly kind: "line"; readonly flat: "" | " "; readonly empty: boolean }
  /** Where the line ends in any case. */
  | { readonly kind: "hard" }
  /** A comment behind something else. It takes no room: nothing is broken on its account. */
  | { readonly kind: "comment"; readonly text: string }
  /** One level deeper, if the group around it is broken. */
  | { readonly kind: "indent"; readonly content: Doc }
  | { readonly kind: "group"; readonly content: Doc; readonly broken: boolean }
  /** Text that depends on whether the group around it is broken. */
  | { readonly kind: "if_broken"; readonly broken: string; readonly flat: string };

export const soft: Doc = { kind: "line", flat: "", empty: false };
export const line: Doc = { kind: "line", flat: " ", empty: false };
export const emptyLine: Doc = { kind: "line", flat: " ", empty: true };
export const hard: Doc = { kind: "hard" };
export const indent = (content: Doc): Doc => ({ kind: "indent", content });
export const comment = (text: string): Doc => ({ kind: "comment", text });
export const ifBroken = (broken: string, flat = ""): Doc => ({ kind: "if_broken", broken, flat });
/** Laid out on one line if that fits, unless it is broken from the start. Groups inside decide for themselves. */
export const group = (content: Doc, broken: boolean): Doc => ({ kind: "group", content, broken });

/** Whether it takes several lines whatever the width. */
export function isBroken(doc: Doc): boolean {
  if (typeof doc === "string") return doc.includes("\n");
  if (isRow(doc)) return doc.some(isBroken);
  if (doc.kind === "group") return doc.broken || isBroken(doc.content);
  return doc.kind === "indent" ? isBroken(doc.content) : doc.kind === "hard";
}

/** Columns it takes on one line. */
export function flatWidth(doc: Doc): number {
  if (typeof doc === "string") return doc.length;
  if (isRow(doc)) return doc.reduce((sum, part) => sum + flatWidth(part), 0);
  if (doc.kind === "if_broken" || doc.kind === "line") return doc.flat.length;
  if (doc.kind === "hard" || doc.kind === "comment") return 0;
  return flatWidth(doc.content);
}

interface Task {
  readonly doc: Doc;
  readonly depth: number;
  readonly broken: boolean;
}

/** The text of a layout. */
export function print(doc: Doc): string {
  const page = new Page();
  const tasks: Task[] = [{ doc, depth: 0, broken: true }];
  for (let task = tasks.pop(); task; task = tasks.pop()) {
    const { doc: each, depth, broken } = task;
    if (typeof each === "string") page.write(each);
    else if (isRow(each)) pushRow(tasks, each, depth, broken);
    else if (each.kind === "comment") page.writeComment(each.text);
    else if (each.kind === "if_broken") page.write(broken ? each.broken : each.flat);
    else if (each.kind === "indent") {
      tasks.push({ doc: each.content, depth: broken ? depth + 1 : depth, broken });
    } else if (each.kind === "group") {
      const breaks = each.broken || !fits(each.content, tasks, WIDTH - page.column);
      tasks.push({ doc: each.content, depth, broken: breaks });
    } else if (each.kind === "hard") page.freshLine(depth);
    else if (broken) page.newLine(depth, each.empty);
    else page.write(each.flat);
  }
  return page.text;
}

/** What is written so far. Blanks are written only before something else, so none is left at a line's end. */
class Page {
  /** Columns of this line, blanks to come included. */
  column = 0;
  readonly #pieces: string[] = [];
  #blanks = "";
  /** Nothing stands on this line yet. */
  #isFresh = true;

  get text(): string {
    return this.#pieces.join("");
  }

  write(text: string): void {
    if (text === "") return;
    const lastLine = text.lastIndexOf("\n");
    this.column = lastLine < 0 ? this.column + text.length : text.length - lastLine - 1;
    if (text === " ") this.#blanks += text;
    else this.#put(text);
  }

  writeComment(text: string): void {
    if (!this.#isFresh) this.#blanks = " ";
    this.#put(text);
  }

  newLine(depth: number, empty: boolean): void {
    this.#pieces.push(empty ? "\n\n" : "\n");
    this.#begin(depth);
  }

  /** A new line, unless this one is new still. */
  freshLine(depth: number): void {
    if (this.#isFresh) this.#begin(depth);
    else this.newLine(depth, false);
  }

  #begin(depth: number): void {
    this.#blanks = INDENT.repeat(depth);
    this.column = this.#blanks.length;
    this.#isFresh = true;
  }

  #put(text: string): void {
    this.#pieces.push(this.#blanks, text);
    this.#blanks = "";
    this.#isFresh = false;
  }
}

/** Whether `content` on one line, and what follows up to the next end of a line, fits into `room` columns. */
function fits(content: Doc, rest: readonly Task[], room: number): boolean {
  let left = room;
  let next = rest.length;
  const tasks: Task[] = [{ doc: content, depth: 0, broken: false }];
  while (left >= 0) {
    const task = tasks.pop() ?? rest[--next];
    if (task === undefined) return true;
    const { doc, broken } = task;
    if (typeof doc === "string") {
      const lineEnd = doc.indexOf("\n");
      if (lineEnd >= 0) return lineEnd <= left;
      left -= doc.length;
    } else if (isRow(doc)) pushRow(tasks, doc, 0, broken);
    else if (doc.kind === "comment" || doc.kind === "hard") return true;
    else if (doc.kind === "if_broken") left -= (broken ? doc.broken : doc.flat).length;
    else if (doc.kind === "indent") tasks.push({ doc: doc.content, depth: 0, broken });
    else if (doc.kind === "group") tasks.push({ doc: doc.content, depth: 0, broken: doc.broken });
    else if (broken) return true;
    else left -= doc.flat.length;
  }
  return false;
}

function pushRow(tasks: Task[], row: readonly Doc[], depth: number, broken: boolean): void {
  for (let index = row.length - 1; index >= 0; index--) {
    tasks.push({ doc: row[index] ?? "", depth, broken });
  }
}

const isRow = (doc: Doc): doc is readonly Doc[] => Array.isArray(doc);
