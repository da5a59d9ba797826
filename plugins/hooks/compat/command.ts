/** Builds a hook's command from a request: arguments, variables and files. */
import type { FileHook, ParameterReference } from "./hook.js";
import type { FileRequest, WriteNote } from "./request/file-request.js";
import { missingArgument, retrieve } from "./request/retrieve.js";

export interface FileCommand {
  /** The command as written, and its arguments. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly PassedFile[];
  /** Lines for the log: what the request lacks. */
  readonly notes: readonly Parameters<WriteNote>[];
}

/** A file whose path a variable passes to the command. */
export interface PassedFile {
  readonly variable: string;
  readonly content: Uint8Array;
}

/** `named`: files whose derived variable the log has shown; the existing server shows each once. */
export function fileCommand(
  hook: FileHook,
  request: FileRequest,
  named = new WeakSet<ParameterReference>(),
): FileCommand {
  const notes: Parameters<WriteNote>[] = [];
  const note: WriteNote = (...line) => void notes.push(line);
  const missing = (what: string, reference: ParameterReference): void =>
    note(`error extracting command ${what}: ${missingArgument(reference)}`);
  const argv = [hook.command];
  for (const reference of hook.args) {
    const value = retrieve(reference, request);
    argv.push(value.ok ? value.text : "");
    if (!value.ok) missing("arguments", reference);
  }
  const env: Record<string, string> = Object.create(null);
  for (const reference of hook.env) {
    const value = retrieve(reference, request);
    if (value.ok) env[reference.variable || `HOOK_${reference.name}`] = value.text;
    else missing("arguments for environment", reference);
  }
  const files: PassedFile[] = [];
  for (const reference of hook.files) {
    const value = retrieve(reference, request);
    const variable = fileVariable(reference);
    if (!value.ok) {
      missing("arguments for file", named.has(reference) ? { ...reference, variable } : reference);
      continue;
    }
    if (reference.variable === "" && !named.has(reference)) {
      named.add(reference);
      note(`no ENVVAR name specified, falling back to [${variable}]`, "server");
    }
    files.push({ variable, content: contentOf(reference, value.text, note) });
  }
  return { argv, env, files, notes };
}

export const fileVariable = ({ variable, name }: ParameterReference): string =>
  variable || `HOOK_${name.toUpperCase()}`;

/** Of broken Base64 the valid start is used. */
function contentOf({ base64 }: ParameterReference, text: string, note: WriteNote): Uint8Array {
  if (!base64) return Buffer.from(text);
  const packed = text.replace(/[\r\n]/g, "");
  const [proper = ""] =
    /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?/.exec(packed) ?? [];
  if (proper.length < packed.length) {
    const at = faultAt(packed, proper.length);
    note(`error decoding string [illegal base64 data at input byte ${at}]`, "server");
  }
  return Buffer.from(proper, "base64");
}

/** Where Go's decoder stops: at the first character that cannot be there. */
function faultAt(packed: string, proper: number): number {
  const rest = packed.slice(proper);
  if (/^[A-Za-z0-9+/]{2}=$/.test(rest)) return packed.length;
  return proper + Math.max(0, rest.search(/[^A-Za-z0-9+/]/));
}
