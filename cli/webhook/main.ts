/** `webhook` from its command line to its end. */
import { getCiphers } from "node:tls";
import { version } from "../program/version.js";
import { type Flags, readFlags } from "./flags.js";
import { WebhookLog } from "./log.js";
import { start } from "./start.js";
import { StartupError } from "./startup-error.js";

export async function main(argv: readonly string[]): Promise<void> {
  const reading = readFlags(argv);
  if (!reading.ok) {
    process.stderr.write(reading.message);
    process.exitCode = reading.help ? 0 : 2;
    return;
  }
  const { flags } = reading;
  if (flags.version) {
    process.stdout.write(`webhook version ${version()}\n`);
    return;
  }
  if (flags["list-cipher-suites"]) {
    process.stdout.write(`available TLS cipher suites:\n${getCiphers().map(suite).join("")}`);
    return;
  }
  try {
    const log = logOf(flags);
    log.say(`version ${version()} starting`);
    await start(flags, log);
  } catch (thrown) {
    if (!(thrown instanceof StartupError)) throw thrown;
    process.stderr.write(`${thrown.message}\n`);
    process.exit(1);
  }
}

const suite = (name: string): string => `  ${name.toUpperCase()}\n`;

function logOf({ verbose, debug, logfile }: Flags): WebhookLog {
  try {
    return new WebhookLog({ verbose, debug, file: logfile });
  } catch (thrown) {
    throw new StartupError(
      `The log file ${logfile} cannot be opened: ${(thrown as Error).message}.`,
    );
  }
}
