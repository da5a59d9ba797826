/** The names that a hook's expressions read. The first one stands for a bare object in tests. */
import { c } from "reeve/plugin";
import type { SentFile } from "../decide/parts.js";
import type { RawBody } from "../decide/raw-body.js";
import { type ClaimScope } from "../decide/verify/jwt.js";
import type { SignedScope } from "../decide/verify/signed-scope.js";
import type { TokenClaims } from "../decide/verify/token-results.js";

/** The values of the names. An absent name is left out, never `undefined` or empty. */
export interface HookScope extends Readonly<Record<string, unknown>> {
  readonly payload?: unknown;
  /** By lower-case name. */
  readonly header: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly path: Readonly<Record<string, string>>;
  readonly method: string;
  /** Of a verified token. */
  readonly claim?: TokenClaims;
  readonly remote_ip?: string;
  readonly body?: string;
  readonly files?: Readonly<Record<string, SentFile>>;
  readonly file_path?: Readonly<Record<string, string>>;
}

const header = {
  type: c.map(c.string()),
  caseInsensitive: true,
  doc: 'A header\'s text: `header["X-GitHub-Event"]`. Repeated headers are joined with `, `.',
} as const;
const query = c.map(c.string()).doc("The query's parameters; the first of a name.");
const path = c
  .map(c.string())
  .doc('The parameters of the hook\'s `path`: `path.env` for `path = "/deploy/:env"`.');
const method = c.string().doc("The method in upper case.");

const claim = c.map(c.any()).doc("The claims of the verified token: `claim.repository_id`.");

const file = {
  ...{ name: c.string(), type: c.string(), size: c.number() },
  ...{ text: c.string(), base64: c.string() },
} as const;

const names = {
  payload: c
    .union(c.map(c.any()), c.list(c.any()))
    .doc("The body, decoded from JSON, XML or a form. Missing for bodies of other types."),
  header,
  query,
  path,
  method,
  claim: claim.doc(
    'The claims of the token that `verify "jwt"` or `verify "oidc"` has verified. Missing without one.',
  ),
  remote_ip: c.string().doc("The client's address. Missing on a unix socket."),
  body: c.string().doc("The decompressed body as text. Missing if it is not UTF-8."),
  file_path: c
    .map(c.string())
    .doc(
      "Paths of the hook's `files` while its command runs: `file_path.PAYLOAD`. Missing in `when`.",
    ),
  files: c
    .map(c.object(file))
    .doc(
      "Files of a form, by field: `files.report.text`, and `name`, `type`, `size` and `base64`. Missing for bodies of other types.",
    ),
} as const;

const request = c.scope<HookScope>("request", names);
const bytes = c.object({ size: c.number(), base64: c.string() });
const input = c.scope<HookScope & { readonly raw_body?: RawBody }>("request, byte for byte", {
  ...names,
  files: c
    .map(c.object({ ...file, bytes }))
    .doc(
      "Files of a form, by field, as elsewhere; `files.report.bytes` is the file byte for byte. Only alone, in `stdin` and `files`.",
    ),
  raw_body: bytes.doc(
    "The body byte for byte, neither decompressed nor decoded. Only alone, in `stdin` and `files`.",
  ),
});

/** What the response to a finished run reads. */
interface FinishedScope extends HookScope {
  readonly output: string;
  readonly exit_code?: number;
  readonly state: string;
  readonly run: string;
}

const finished = c.scope<FinishedScope>("finished run", {
  ...names,
  output: c.string().doc("The command's output as text, with secrets masked."),
  exit_code: c.integer().doc("The command's exit code. Missing if a signal ended it."),
  state: c.string().doc("`succeeded`, `failed` or `timed_out`."),
  run: c.string().doc("The run's ID."),
});

/** What the response to a refused request reads: of the request only what needs no body. */
interface RefusalScope extends Readonly<Record<string, unknown>> {
  readonly status: number;
  readonly reason: string;
  readonly detail: string;
  readonly method: string;
  readonly header: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
}

const refused = c.scope<RefusalScope>("refused request", {
  status: c.integer().doc("The status of the response."),
  reason: c.string().doc("The reason as a word, such as `bad_signature` or `rate_limited`."),
  detail: c.string().doc("The reason as a sentence for the sender."),
  ...{ method, header, query },
});

/** The names for signatures: the body is not parsed yet. */
export const signedScope = c.scope<SignedScope>("signed text", {
  body: c.string().doc("The body as text, byte for byte. Missing if it is not UTF-8."),
  header,
  query,
  path,
  method,
});

/** The names of `require`: the token is verified, the body is not parsed yet. */
export const claimScope = c.scope<ClaimScope>("token", { claim, header, query, path, method });

/** Allowed in a command: text and scalars. */
export const plain = c.union(c.string(), c.number(), c.boolean());

export const text = c.expr({ scope: request, returns: plain });
export const finishedText = c.expr({ scope: finished, returns: plain });
export const refusalText = c.expr({ scope: refused, returns: plain });
export const textOrSecret = c.expr({
  scope: request,
  returns: c.union(c.string(), c.number(), c.boolean(), c.secret()),
});
export const anything = c.expr({ scope: input, returns: c.any() });
export const condition = c.expr({ scope: request, returns: c.boolean() });
