/** The mouse of a terminal: SGR reports (xterm's private modes 1000 and 1006), turned on and certainly off again. */

const ESC = "\u001b";
const ON = `${ESC}[?1000h${ESC}[?1006h`;
const OFF = `${ESC}[?1006l${ESC}[?1000l`;
const SIGNALS = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

/** A report, and what may become one. It is bounded: keys are not held back for long. */
const REPORT = new RegExp(String.raw`${ESC}\[<(\d{1,4});(\d{1,5});(\d{1,5})([Mm])`, "g");
const PARTIAL = new RegExp(String.raw`${ESC}\[(?:<[\d;]{0,16})?$`);

export interface MouseEvent {
  readonly kind: "press" | "wheelUp" | "wheelDown";
  /** From 0, in cells. */
  readonly column: number;
  readonly line: number;
}

/** What is left of a text, its reports, and its end where that may be the start of one. */
export function withoutReports(text: string): {
  readonly keys: string;
  readonly held: string;
  readonly events: readonly MouseEvent[];
} {
  const events: MouseEvent[] = [];
  const rest = text.replace(
    REPORT,
    (_, code: string, column: string, line: string, end: string) => {
      const event = eventOf(Number(code), Number(column), Number(line), end === "M");
      if (event) events.push(event);
      return "";
    },
  );
  const at = rest.search(PARTIAL);
  return at < 0
    ? { keys: rest, held: "", events }
    : { keys: rest.slice(0, at), held: rest.slice(at), events };
}

/** Shift, Meta and Control make no difference; other buttons, motion and release mean nothing. */
function eventOf(
  code: number,
  column: number,
  line: number,
  isDown: boolean,
): MouseEvent | undefined {
  const button = code & ~0b11100;
  const kind = ({ 0: "press", 64: "wheelUp", 65: "wheelDown" } as const)[button];
  if (kind === undefined || !isDown || column < 1 || line < 1) return undefined;
  return { kind, column: column - 1, line: line - 1 };
}

/** Reports of one terminal. However the process ends, except by SIGKILL, they end with it. */
export class MouseReports {
  readonly #write: (text: string) => unknown;
  #isOn = false;

  constructor(write: (text: string) => unknown) {
    this.#write = write;
  }

  readonly on = (): void => {
    if (this.#isOn) return;
    this.#isOn = true;
    process.once("exit", this.off);
    for (const signal of SIGNALS) process.once(signal, this.#end);
    this.#write(ON);
  };

  readonly off = (): void => {
    if (!this.#isOn) return;
    this.#isOn = false;
    process.off("exit", this.off);
    for (const signal of SIGNALS) process.off(signal, this.#end);
    this.#write(OFF);
  };

  /** The signal comes again, for those that it ends otherwise. */
  readonly #end = (signal: NodeJS.Signals): void => {
    this.off();
    process.kill(process.pid, signal);
  };
}
