/** One line of the log for a person at a terminal. */

const reserved = new Set(["level", "time", "message", "plugin"]);

/** `12:00:01.250 warn  hooks: A message. subject=hook.deploy attempt=2`, from the line as JSON. */
export function textLine(json: string): string {
  const line = JSON.parse(json) as Record<string, unknown>;
  const time = String(line.time).slice(11, 23);
  const level = String(line.level).padEnd(5);
  const from = line.plugin === undefined ? "" : `${visible(String(line.plugin))}: `;
  const fields = Object.entries(line)
    .filter(([name]) => !reserved.has(name))
    .map(([name, value]) => ` ${visible(name)}=${rendered(value)}`);
  return `${time} ${level} ${from}${visible(String(line.message))}${fields.join("")}\n`;
}

/** Bare where that is unambiguous. */
function rendered(value: unknown): string {
  if (typeof value === "string" && /^[^\s"=\p{C}]+$/u.test(value)) return value;
  return visible(JSON.stringify(value));
}

const named: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/** Control characters would let a message write lines, or colours, of its own. */
const visible = (text: string): string =>
  text.replace(
    /\p{C}/gu,
    (character) => named[character] ?? `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`,
  );
