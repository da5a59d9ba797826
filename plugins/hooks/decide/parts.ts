/** Parses `multipart/form-data`: fields become the payload, files are separate. */
import { isUtf8 } from "node:buffer";
import { type FormPart, parseMultipart } from "../compat/request/multipart.js";
import { readJson } from "./json.js";
import { type RawBody, rawBody } from "./raw-body.js";

/** An uploaded file. */
export interface SentFile {
  /** The sender's name for it, without directories; untrusted. Empty if absent. */
  readonly name: string;
  /** The media type by the sender; empty if absent. */
  readonly type: string;
  /** Bytes. */
  readonly size: number;
  /** Absent: not UTF-8. */
  readonly text?: string;
  readonly base64: string;
  /** For a command's input and files. */
  readonly bytes: RawBody;
}

export type PartsReading =
  | {
      readonly ok: true;
      readonly value: Readonly<Record<string, unknown>>;
      readonly files: Readonly<Record<string, SentFile>>;
    }
  | { readonly ok: false; readonly message: string };

/** The first part of a name counts, for fields and for files. */
export function readParts(contentType: string, bytes: Uint8Array): PartsReading {
  const parts = parseMultipart(contentType, bytes);
  if (typeof parts === "string") return no("The body is not valid multipart/form-data.");
  const value: Record<string, unknown> = Object.create(null);
  const files: Record<string, SentFile> = Object.create(null);
  for (const part of parts) {
    if (part.fileName !== undefined) {
      if (!(part.name in files)) files[part.name] = fileOf(part, part.fileName);
      continue;
    }
    if (part.name in value) continue;
    const reading = fieldOf(part);
    if (!reading.ok)
      return no(`The field "${shown(part.name)}" cannot be read: ${reading.message}`);
    value[part.name] = reading.value;
  }
  return { ok: true, value, files };
}

const no = (message: string): PartsReading => ({ ok: false, message });
const shown = (name: string): string => name.replace(/[^\w.[\] -]/g, "?").slice(0, 80);

/** A field of type JSON is parsed. */
function fieldOf({ type, content }: FormPart): ReturnType<typeof readJson> {
  if (!isUtf8(content)) return { ok: false, message: "it is not valid UTF-8." };
  const text = textOf(content);
  return /^application\/json\s*(;|$)/i.test(type) ? readJson(text) : { ok: true, value: text };
}

function fileOf({ type, content }: FormPart, fileName: string): SentFile {
  const declared = {
    name: fileName.replace(/^.*[/\\]/s, ""),
    type,
    size: content.length,
    ...(isUtf8(content) ? { text: textOf(content) } : {}),
  };
  const file = Object.defineProperties(declared as Held, PROPERTIES);
  return Object.defineProperty(file, CONTENT, { value: content });
}

const CONTENT = Symbol("content");
type Held = SentFile & { readonly [CONTENT]: Uint8Array };

/** Created on first use. Shared: a getter of each file's own would retain the file. */
const PROPERTIES: PropertyDescriptorMap & ThisType<Held> = {
  base64: {
    enumerable: true,
    get() {
      const { buffer, byteOffset, byteLength } = this[CONTENT];
      return Buffer.from(buffer, byteOffset, byteLength).toString("base64");
    },
  },
  bytes: {
    get() {
      return rawBody(this[CONTENT]);
    },
  },
};

const textOf = ({ buffer, byteOffset, byteLength }: Uint8Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString("utf8");
