/** Base images of a Dockerfile. */
import { type ImageReference, tagOffset, tagRange } from "./image.js";

interface Instruction {
  readonly text: string;
  readonly start: number;
}

/** Each instruction on one line of the same length: line ends, comments and here-documents in it are blank. */
function instructions(text: string): readonly Instruction[] {
  const continuation = /^(?:#.*\r?\n)*?#\s*escape\s*=\s*`/i.test(text) ? "`" : "\\";
  const found: { text: string; readonly start: number }[] = [];
  let isContinued = false;
  let terminator: string | undefined;
  let start = 0;
  for (const whole of text.split("\n")) {
    const line = whole.replace(/\r$/, "");
    const last = found.at(-1);
    if (terminator !== undefined) {
      if (line.replace(/^\t*/, "") === terminator) terminator = undefined;
    } else if (!/^\s*(#|$)/.test(line)) {
      const isOpen = line.trimEnd().endsWith(continuation);
      const content = isOpen ? line.trimEnd().slice(0, -1) : line;
      if (isContinued && last) last.text = last.text.padEnd(start - last.start) + content;
      else found.push({ text: content, start });
      isContinued = isOpen;
      terminator = /^\s*(?:RUN|COPY|ADD)\b.*?<<-?["']?(\w+)["']?/i.exec(line)?.[1];
    }
    start += whole.length + 1;
  }
  return found;
}

/** The default of an `ARG` and where it starts. */
interface ArgumentDefault {
  readonly value: string;
  readonly start: number;
}

/** `# syntax=docker/dockerfile:1`, before everything else. */
function syntaxDirective(text: string): ImageReference | undefined {
  const [, before, image] =
    /^(\uFEFF?(?:#[ \t]*\w+[ \t]*=.*\n)*?#[ \t]*syntax[ \t]*=[ \t]*)(\S+)/i.exec(text) ?? [];
  if (before === undefined || image === undefined) return undefined;
  return { image, range: tagRange(image, before.length), section: "syntax" };
}

export function imagesOfDockerfile(text: string): readonly ImageReference[] {
  const stages = new Set<string>();
  const defaults = new Map<string, ArgumentDefault>();
  const syntax = syntaxDirective(text);
  const references: ImageReference[] = [];
  for (const { text: line, start } of instructions(text)) {
    const [, before, name, quote, value] =
      /^(\s*ARG\s+(\w+)=(["']?))([^\s"']+)\3\s*$/i.exec(line)?.map(String) ?? [];
    // FROM sees only the arguments before the first stage.
    if (before !== undefined && name !== undefined && value !== undefined && quote !== undefined) {
      if (stages.size === 0 && references.length === 0)
        defaults.set(name, { value, start: start + before.length });
      continue;
    }
    const from = /^(\s*FROM\s+(?:--\S+\s+)*)(\S+)(?:\s+AS\s+(\S+))?/i.exec(line);
    if (from) {
      const [, lead = "", image = "", stage] = from;
      if (image !== "scratch" && !stages.has(image.toLowerCase()))
        add(image, start + lead.length, "FROM");
      if (stage !== undefined) stages.add(stage.toLowerCase());
      continue;
    }
    const [, lead, image = ""] = /^(\s*(?:COPY|ADD)\s.*?--from=)(\S+)/i.exec(line) ?? [];
    if (lead !== undefined) addUnlessStage(image, start + lead.length, "COPY");
    const [flags = ""] = /^\s*RUN\s+(?:--\S+\s+)+/i.exec(line) ?? [];
    for (const { 1: head = "", 2: mounted = "", index } of flags.matchAll(
      /(--mount=(?:[^\s,]+,)*from=)([^\s,]+)/gi,
    ))
      addUnlessStage(mounted, start + index + head.length, "RUN");
  }
  return syntax ? [syntax, ...references] : references;

  /** A name without a version is a stage, or an image that any version fits. */
  function addUnlessStage(image: string, at: number, section: string): void {
    if (/[:@]/.test(image) && !stages.has(image.toLowerCase())) add(image, at, section);
  }

  function add(image: string, start: number, section: string): void {
    const reference = image.includes("$")
      ? throughVariable(image, start, defaults)
      : { image, range: tagRange(image, start), section };
    if (reference) references.push(reference);
  }
}

const VARIABLE = /^([^$]*)\$(?:(\w+)|\{(\w+)(?::?-([^}$]*))?\})([^$]*)$/;

/** `node:${NODE}-alpine`, `${IMAGE}`: the edit goes to the argument's default, or to the default in the reference itself. */
export function throughVariable(
  image: string,
  start: number,
  defaults: ReadonlyMap<string, ArgumentDefault> = new Map(),
): ImageReference | undefined {
  const [, before = "", bare, braced = bare, own, after = ""] = VARIABLE.exec(image) ?? [];
  const argument = defaults.get(braced ?? "");
  const value = argument?.value ?? own;
  if (braced === undefined || value === undefined || value.includes("$")) return undefined;
  const whole = before + value + after;
  const at = tagOffset(whole);
  const isPart = at < before.length || after !== "";
  // The variable holds a part of a digest, or ends before the tag starts.
  if (at > before.length + value.length || (isPart && whole.includes("@"))) return undefined;
  const from = argument?.start ?? start + image.length - after.length - value.length - 1;
  const skipped = Math.max(0, at - before.length);
  return {
    image: whole,
    range: { start: from + skipped, end: from + value.length },
    section: argument ? `ARG ${braced}` : "FROM",
    ...(isPart ? { affixes: { before: before.slice(at), after } } : {}),
  };
}
