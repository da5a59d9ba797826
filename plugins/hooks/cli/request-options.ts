/** A request that is made of a command's options. */
import { Exit, Failure, text, texts } from "reeve/cli";
import { bodyFields, type RequestFields, readBytes, readRequestFile } from "./request-file.js";

export const requestOptions = {
  body: text("FILE", "the body; `-` for standard input. JSON is sent as application/json"),
  header: texts("'NAME: VALUE'", "a header; may be given again"),
  query: texts("NAME=VALUE", "a parameter of the query; may be given again"),
  request: text("FILE", "a whole request, as JSON or raw HTTP; other options change parts of it"),
};

export interface RequestOptions {
  readonly body: string | undefined;
  readonly header: readonly string[];
  readonly query: readonly string[];
  readonly request: string | undefined;
  readonly path?: readonly string[];
}

/** @throws Failure where an option or a file cannot be read */
export async function requestFrom(options: RequestOptions): Promise<RequestFields> {
  const { body, header, query, request, path = [] } = options;
  const whole: RequestFields = request === undefined ? {} : await readRequestFile(request);
  const bytes = body === undefined ? undefined : await readBytes(body);
  const headers: Record<string, string> = { ...whole.headers };
  for (const each of header) {
    const [name, value] = halves(each, ":", "--header", "'Name: value'");
    headers[name.trim().toLowerCase()] = value.trim();
  }
  if (bytes !== undefined && headers["content-type"] === undefined && isJson(bytes)) {
    headers["content-type"] = "application/json";
  }
  const parameters = query.map((each) => halves(each, "=", "--query", "name=value"));
  const { body: _, base64: __, ...rest } = whole;
  const pathParameters = path.map((each) => halves(each, "=", "--path", "name=value"));
  return {
    ...(bytes === undefined ? whole : { ...rest, ...bodyFields(bytes) }),
    headers,
    query: [whole.query ?? "", new URLSearchParams(parameters).toString()]
      .filter((part) => part !== "")
      .join("&"),
    ...(pathParameters.length > 0 && { path: Object.fromEntries(pathParameters) }),
  };
}

function halves(text: string, mark: string, option: string, form: string): [string, string] {
  const at = text.indexOf(mark);
  if (at > 0) return [text.slice(0, at), text.slice(at + 1)];
  throw new Failure(Exit.usage, `\`${option} ${text}\` has no \`${mark}\``, {
    help: `Write ${option} ${form}.`,
  });
}

function isJson(bytes: Buffer): boolean {
  try {
    JSON.parse(bytes.toString("utf8"));
    return true;
  } catch {
    return false;
  }
}
