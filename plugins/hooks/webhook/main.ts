/** The `webhook` command. */
import { type Flags, readFlags } from "./flags.js";
import { StartupError, type WebhookHost } from "./host.js";
import { WebhookLog } from "./log.js";
import { start } from "./start.js";
import { cipherSuites } from "./tls.js";

export async function main(argv: readonly string[], host: WebhookHost): Promise<void> {
  const reading = readFlags(argv);
  if (!reading.ok) {
    process.stderr.write(reading.message);
    process.exitCode = reading.help ? 0 : 2;
    return;
  }
  const { flags } = reading;
  if (flags.version) {
    process.stdout.write(`webhook version ${host.version}\n`);
    return;
  }
  if (flags["list-cipher-suites"]) {
    process.stdout.write(
      cipherSuites()
        .map((name) => `${name}\n`)
        .join(""),
    );
    return;
  }
  try {
    const log = openLog(flags, host);
    log.say(`version ${host.version} starting`);
    await start(flags, log);
  } catch (thrown) {
    if (!(thrown instanceof StartupError)) throw thrown;
    process.stderr.write(`${thrown.message}\n`);
    process.exit(1);
  }
}

function openLog({ verbose, debug, logfile }: Flags, host: WebhookHost): WebhookLog {
  try {
    return new WebhookLog({ verbose, debug, file: logfile }, host);
  } catch (thrown) {
    throw new StartupError(
      `The log file ${logfile} cannot be opened: ${(thrown as Error).message}.`,
    );
  }
}
