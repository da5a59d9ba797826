/** A frame before there is anything that draws frames: it takes longer to load than all the rest. */

/** The other screen, without a cursor, from its first cell. */
const ENTER = "\u001b[?1049h\u001b[?25l\u001b[H";
const LEAVE = "\u001b[?25h\u001b[?1049l";
const HOME = "\u001b[H";
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

export interface FirstFrame {
  /** Hands the screen to another drawer, which also leaves it: calls `draw` at the first cell. */
  handOver<Drawn>(draw: () => Drawn): Drawn;
  /** Leaves the terminal as it was. */
  leave(): void;
}

/** Shows lines that are as wide as the terminal. Keys stay buffered for the next reader, without an echo. */
export function showFirstFrame(
  lines: readonly string[],
  { stdin, stdout }: Pick<NodeJS.Process, "stdin" | "stdout"> = process,
): FirstFrame {
  const isRaw = stdin.isTTY;
  if (isRaw) stdin.setRawMode(true);
  stdout.write(`${ENTER}${lines.join("\r\n")}`);
  const leave = (): void => {
    forget();
    if (isRaw) stdin.setRawMode(false);
    stdout.write(LEAVE);
  };
  const end = (signal: NodeJS.Signals): void => {
    leave();
    process.kill(process.pid, signal);
  };
  const forget = (): void => {
    process.off("exit", leave);
    for (const signal of SIGNALS) process.off(signal, end);
  };
  process.once("exit", leave);
  for (const signal of SIGNALS) process.once(signal, end);
  return {
    handOver(draw) {
      stdout.write(HOME);
      const drawn = draw();
      // Not sooner: a signal that nothing listens to at that moment would be lost.
      forget();
      return drawn;
    },
    leave,
  };
}
