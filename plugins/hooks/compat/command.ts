/** Builds a hook's command from a request: arguments, variables and files. */
import type { FileHook, ParameterReference } from "./hook.js";
import type { FileRequest, WriteNote } from "./request/request.js";
import { type RetrieveProblem, retrieve } from "./request/retrieve.js";

export interface FileCommand {
  /** The command as written, and its arguments. */
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly files: readonly PassedFile[];
}

/** A file whose path a variable passes to the command. */
export interface PassedFile {
  readonly variable: string;
  readonly content: Uint8Array;
}

export function fileCommand(hook: FileHook, request: FileRequest, note: WriteNote): FileCommand {
  const missing = (
    what: string,
    reference: ParameterReference,
    { message }: RetrieveProblem,
  ): void =>
    note(
      `error extracting command ${what}: couldn't retrieve argument for ${shown(reference)} (${message})`,
    );
  const argv = [hook.command];
  for (const reference of hook.args) {
    const value = retrieve(reference, request);
    argv.push(value.ok ? value.text : "");
    if (!value.ok) missing("arguments", reference, value.problem);
  }
  const env: Record<string, string> = Object.create(null);
  for (const reference of hook.env) {
    const value = retrieve(reference, request);
    if (value.ok) env[reference.variable || `HOOK_${reference.name}`] = value.text;
    else missing("arguments for environment", reference, value.problem);
  }
  const files: PassedFile[] = [];
  for (const reference of hook.files) {
    const value = retrieve(reference, request);
    if (value.ok) {
      const variable = reference.variable || `HOOK_${reference.name.toUpperCase()}`;
      files.push({ variable, content: contentOf(reference, value.text, note) });
    } else missing("arguments for file", reference, value.problem);
  }
  return { argv, env, files };
}

const shown = ({ source, name, variable, base64 }: ParameterReference): string =>
  `{Source:${source} Name:${name} EnvName:${variable} Base64Decode:${base64}}`;

/** Of broken Base64 the valid start is used. */
function contentOf({ base64 }: ParameterReference, text: string, note: WriteNote): Uint8Array {
  if (!base64) return Buffer.from(text);
  const packed = text.replace(/[\r\n]/g, "");
  const [proper = ""] =
    /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?/.exec(packed) ?? [];
  if (proper.length < packed.length) note("error decoding string: illegal base64 data");
  return Buffer.from(proper, "base64");
}
