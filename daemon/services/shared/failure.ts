/** What PostgreSQL's errors mean to a person. The address is never part of a sentence: it holds a password. */
import { ReeveError } from "../../errors.js";
import { osErrorReason } from "../os-error.js";

/** A network error: the server may become reachable again. */
const away = new Set([
  ...["ECONNREFUSED", "ECONNRESET", "EPIPE", "ETIMEDOUT", "EHOSTUNREACH", "ENETUNREACH"],
  ...["ENOTFOUND", "EAI_AGAIN", "ENOENT", "EACCES"],
  // The server starts, stops, or has no room for one more.
  ...["57P01", "57P02", "57P03", "53300", "25006", "25P03"],
]);

/** What the driver says without a code. */
const cutOff =
  /connection terminated|connection ended|timeout|not queryable|has encountered a connection error|server closed/i;

/** What a person has to change; nothing comes of waiting. */
const refusals: Readonly<Record<string, readonly [message: string, help: string]>> = {
  "28P01": [
    "The database refuses the password.",
    "Check the user and the password in its address.",
  ],
  "28000": [
    "The database refuses the user.",
    "Check the user in its address, and pg_hba.conf at the server.",
  ],
  "3D000": [
    "There is no database of the name that the address has.",
    "Make it with `createdb`, or correct the address.",
  ],
  "42501": [
    "The user may not make tables in the database.",
    "Let that user own the database, or grant it CREATE there.",
  ],
};

const codeOf = (thrown: unknown): string => {
  const { code } = thrown as { code?: unknown };
  return typeof code === "string" ? code : "";
};

/** Whether the database may be there again without anybody doing anything. */
export function isUnreachable(thrown: unknown): boolean {
  const code = codeOf(thrown);
  if (code === "store_away" || away.has(code) || code.startsWith("08")) return true;
  const { message, errors } = thrown as { message?: unknown; errors?: readonly unknown[] };
  if (errors?.some(isUnreachable)) return true;
  return code === "" && typeof message === "string" && cutOff.test(message);
}

/** The error as a sentence, where its cause is outside the program; unchanged otherwise. */
export function sharedFailure(thrown: unknown): unknown {
  if (thrown instanceof ReeveError) return thrown;
  const [message, help] = refusals[codeOf(thrown)] ?? [];
  if (message !== undefined && help !== undefined) {
    return new ReeveError("store_refused", message, { help, cause: thrown });
  }
  if (codeOf(thrown).startsWith("53")) {
    return new ReeveError("disk_full", "The database has no room left; nothing was kept.", {
      help: "Free some space at the server; nothing needs to be restarted.",
      cause: thrown,
    });
  }
  if (!isUnreachable(thrown)) return thrown;
  const [first = thrown] = (thrown as { errors?: readonly unknown[] }).errors ?? [];
  return new ReeveError("store_away", `The database cannot be reached: ${why(first)}.`, {
    help: "Start it, or mend the way to it; nothing needs to be restarted.",
    cause: thrown,
  });
}

function why(thrown: unknown): string {
  const { code, address, port, hostname } = thrown as Readonly<Record<string, unknown>>;
  const endpoint = port === undefined ? address : `${address}:${port}`;
  if (code === "ECONNREFUSED") return `no server listens at ${endpoint}`;
  if (code === "ENOTFOUND" || code === "EAI_AGAIN") return `no host is known as ${hostname}`;
  if (code === "ENOENT") return `there is no socket ${address}`;
  return osErrorReason(thrown);
}
