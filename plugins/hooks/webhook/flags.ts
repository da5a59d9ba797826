/** The command line of `webhook`: flags in the form of Go programs. */
import { goQuoted } from "../compat/go-text.js";

interface Flag {
  readonly kind: "text" | "whole" | "truth" | "list";
  readonly usual?: string;
  readonly summary: string;
}

const flags = {
  hooks: {
    kind: "list",
    summary: "file with hooks to serve; may be given several times (default hooks.json)",
  },
  ip: { kind: "text", usual: "0.0.0.0", summary: "address to serve hooks on" },
  port: { kind: "whole", usual: "9000", summary: "port to serve hooks on" },
  socket: {
    kind: "text",
    usual: "",
    summary: "unix socket to serve hooks on, instead of an address",
  },
  urlprefix: { kind: "text", usual: "hooks", summary: "path in front of the hooks' ids" },
  "http-methods": {
    kind: "text",
    usual: "",
    summary: "methods of hooks that name none, separated by commas",
  },
  header: {
    kind: "list",
    summary: "header of every answer, as name=value; may be given several times",
  },
  hotreload: { kind: "truth", summary: "watch the hooks files and use them anew when they change" },
  template: { kind: "truth", summary: "hooks files are templates" },
  strict: {
    kind: "truth",
    summary:
      "refuse what hooks files of the other server rely on only by accident; see docs/webhook.md",
  },
  verbose: { kind: "truth", summary: "log what happens" },
  debug: { kind: "truth", summary: "log requests and answers too" },
  logfile: { kind: "text", usual: "", summary: "file to log to; implies -verbose" },
  nopanic: { kind: "truth", summary: "start without any hooks" },
  secure: { kind: "truth", summary: "serve HTTPS" },
  cert: { kind: "text", usual: "cert.pem", summary: "certificate for HTTPS" },
  key: { kind: "text", usual: "key.pem", summary: "the certificate's key" },
  "tls-min-version": {
    kind: "text",
    usual: "1.2",
    summary: "lowest version of TLS: 1.0, 1.1, 1.2 or 1.3",
  },
  "cipher-suites": {
    kind: "text",
    usual: "",
    summary: "cipher suites of TLS, separated by commas",
  },
  "list-cipher-suites": { kind: "truth", summary: "print the cipher suites there are" },
  "x-request-id": { kind: "truth", summary: "use the request's X-Request-Id in the log" },
  "x-request-id-limit": {
    kind: "whole",
    usual: "0",
    summary: "bytes of X-Request-Id to use; 0 for all",
  },
  "max-multipart-mem": {
    kind: "whole",
    usual: "1048576",
    summary: "accepted and not needed: forms are never put into files",
  },
  pidfile: { kind: "text", usual: "", summary: "file for the process id" },
  setuid: { kind: "whole", usual: "0", summary: "user to become after listening; needs -setgid" },
  setgid: { kind: "whole", usual: "0", summary: "group to become after listening; needs -setuid" },
  version: { kind: "truth", summary: "print the version" },
} as const satisfies Readonly<Record<string, Flag>>;

type Kinds = typeof flags;
type ValueOf<Kind> = Kind extends "truth"
  ? boolean
  : Kind extends "whole"
    ? number
    : Kind extends "list"
      ? readonly string[]
      : string;
export type Flags = { readonly [Name in keyof Kinds]: ValueOf<Kinds[Name]["kind"]> };

export type FlagReading =
  | { readonly ok: true; readonly flags: Flags }
  /** `help`: requested by `-h`. */
  | { readonly ok: false; readonly message: string; readonly help: boolean };

/** Stops at the first word that is not a flag. */
export function readFlags(argv: readonly string[]): FlagReading {
  const values = new Map<string, string | string[]>();
  for (let at = 0; at < argv.length; at += 1) {
    const word = argv[at] ?? "";
    const [, name = "", attached] = /^--?([^-=][^=]*)(?:=([\s\S]*))?$/.exec(word) ?? [];
    if (name === "") break;
    if (name === "h" || name === "help") return { ok: false, message: usage(), help: true };
    const flag = Object.hasOwn(flags, name) ? flags[name as keyof Kinds] : undefined;
    if (!flag) return no(`flag provided but not defined: -${name}`);
    let value = attached;
    if (value === undefined && flag.kind === "truth") value = "true";
    if (value === undefined) {
      at += 1;
      value = argv[at];
    }
    if (value === undefined) return no(`flag needs an argument: -${name}`);
    const fault = faultIn(flag.kind, name, value);
    if (fault !== undefined) return no(fault);
    if (flag.kind === "list") values.set(name, [...(values.get(name) ?? []), value]);
    else values.set(name, value);
  }
  return { ok: true, flags: valuesOf(values) };
}

const no = (message: string): FlagReading => ({
  ok: false,
  message: `${message}\n${usage()}`,
  help: false,
});

const truths: Readonly<Record<string, boolean>> = {
  ...{ "1": true, t: true, T: true, true: true, TRUE: true, True: true },
  ...{ "0": false, f: false, F: false, false: false, FALSE: false, False: false },
};

function faultIn(kind: Flag["kind"], name: string, value: string): string | undefined {
  if (kind === "truth" && !Object.hasOwn(truths, value))
    return `invalid boolean value ${goQuoted(value)} for -${name}: parse error`;
  const invalid = `invalid value ${goQuoted(value)} for flag -${name}`;
  if (kind === "whole" && !/^\d{1,15}$/.test(value)) return `${invalid}: parse error`;
  if (name !== "header" || value.includes("=")) return undefined;
  return `${invalid}: header flag must be in name=value format`;
}

function valuesOf(given: ReadonlyMap<string, string | string[]>): Flags {
  return Object.fromEntries(
    Object.entries(flags as Readonly<Record<string, Flag>>).map(([name, { kind, usual = "" }]) => {
      const value = given.get(name);
      if (kind === "list") return [name, value ?? []];
      if (kind === "truth") return [name, truths[String(value)] === true];
      return [name, kind === "whole" ? Number(value ?? usual) : (value ?? usual)];
    }),
  ) as Flags;
}

function usage(): string {
  const lines = Object.entries(flags as Readonly<Record<string, Flag>>)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, { usual, summary }]) => {
      const suffix = usual ? ` (default ${usual})` : "";
      return `  -${name}\n    \t${summary}${suffix}`;
    });
  return `Usage of webhook:\n${lines.join("\n")}\n`;
}
