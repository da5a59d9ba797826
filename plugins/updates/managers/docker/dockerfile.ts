/** Images that a Dockerfile builds on. */
import type { TextRange } from "../../text/text.js";
import type { ImagePlace } from "./places.js";

interface Line {
  readonly text: string;
  readonly start: number;
}

/** The lines that begin an instruction: not those that go on with one, not those of a here-document, no comments. */
function instructions(text: string): readonly Line[] {
  const continues = /^(?:#.*\r?\n)*?#\s*escape\s*=\s*`/i.test(text) ? "`" : "\\";
  const found: Line[] = [];
  let goesOn = false;
  let terminator: string | undefined;
  let start = 0;
  for (const whole of text.split("\n")) {
    const line = whole.replace(/\r$/, "");
    if (terminator !== undefined) {
      if (line.replace(/^\t*/, "") === terminator) terminator = undefined;
    } else if (!/^\s*(#|$)/.test(line)) {
      if (!goesOn) found.push({ text: line, start });
      goesOn = line.trimEnd().endsWith(continues);
      terminator = /^\s*(?:RUN|COPY|ADD)\b.*?<<-?["']?(\w+)["']?/i.exec(line)?.[1];
    }
    start += whole.length + 1;
  }
  return found;
}

export function imagesOfDockerfile(text: string): readonly ImagePlace[] {
  const stages = new Set<string>();
  const defaults = new Map<string, { readonly value: string; readonly start: number }>();
  const places: ImagePlace[] = [];
  for (const { text: line, start } of instructions(text)) {
    const [, before, name, quote, value] =
      /^(\s*ARG\s+(\w+)=(["']?))([^\s"']+)\3\s*$/i.exec(line)?.map(String) ?? [];
    // Arguments of stages are not seen by FROM: only those before the first.
    if (before !== undefined && name !== undefined && value !== undefined && quote !== undefined) {
      if (stages.size === 0 && places.length === 0)
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
    const copy = /^(\s*(?:COPY|ADD)\s.*?--from=)(\S+)/i.exec(line);
    if (!copy) continue;
    const [, lead = "", image = ""] = copy;
    if (/[:@]/.test(image) && !stages.has(image.toLowerCase()))
      add(image, start + lead.length, "COPY");
  }
  return places;

  function add(image: string, start: number, section: string): void {
    const place = image.includes("$")
      ? throughVariable(image, start, defaults)
      : { image, range: afterName(image, start), section };
    if (place) places.push(place);
  }
}

/** Of tag and digest. */
function afterName(image: string, start: number): TextRange {
  const reference = REFERENCE.exec(image);
  return {
    start: start + (reference ? reference.index + 1 : image.length),
    end: start + image.length,
  };
}

const REFERENCE = /[:@][^/]*$/;
const VARIABLE = /^([^$]*)\$(?:(\w+)|\{(\w+)(?::?-([^}$]*))?\})([^$]*)$/;

/** `node:${NODE}-alpine`, `${IMAGE}`: what an argument or a default in the place itself says, is what moves. */
function throughVariable(
  image: string,
  start: number,
  known: ReadonlyMap<string, { readonly value: string; readonly start: number }>,
): ImagePlace | undefined {
  const [, before = "", bare, braced = bare, own, after = ""] = VARIABLE.exec(image) ?? [];
  const argument = known.get(braced ?? "");
  const value = argument?.value ?? own;
  if (braced === undefined || value === undefined || value.includes("$")) return undefined;
  const whole = before + value + after;
  const at = (REFERENCE.exec(whole)?.index ?? whole.length) + 1;
  const isPart = at < before.length || after !== "";
  // Of a digest only a part would move, or the name ends behind the variable.
  if (at > before.length + value.length || (isPart && whole.includes("@"))) return undefined;
  const from = argument?.start ?? start + image.length - after.length - value.length - 1;
  const skipped = Math.max(0, at - before.length);
  return {
    image: whole,
    range: { start: from + skipped, end: from + value.length },
    section: argument ? `ARG ${braced}` : "FROM",
    ...(isPart ? { around: { before: before.slice(at), after } } : {}),
  };
}
