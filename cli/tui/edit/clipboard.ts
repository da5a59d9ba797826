/** Copies to the clipboard of the terminal, also over ssh: OSC 52 of xterm's control sequences. */

/** Characters of base64 that terminals are known to take. */
const MOST = 74_994;

/** The sequence that a terminal understands; `undefined` if the text is too long for one. */
export function clipboardSequence(text: string): string | undefined {
  const encoded = Buffer.from(text).toString("base64");
  return encoded.length > MOST ? undefined : `\u001b]52;c;${encoded}\u0007`;
}
