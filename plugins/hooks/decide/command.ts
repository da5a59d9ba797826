/** Evaluates a hook for a request: its command, and the response on success. */
import type { Expression, Secret } from "reeve/plugin";
import type { CommandBlock } from "../blocks/blocks.js";
import { bytesOf, rawBody } from "./raw-body.js";
import { type Refusal, refuse } from "./refusal.js";

/** Without optional fields: the compiler refuses one that is forgotten or misspelt. */
export interface HookCommand {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string | Secret>>;
  readonly stdin: CommandInput | undefined;
  readonly reply: SuccessReply;
  /** Contents by name; they exist as `FILES`/name while the command runs. */
  readonly files: Readonly<Record<string, CommandInput>> | undefined;
  /** Commands with the same key run one after another. */
  readonly key: string | undefined;
  /** Equal for repetitions of a delivery. */
  readonly delivery: string | undefined;
  /** What its requests count by, with a `limit` that has a key. */
  readonly limitKey: string | undefined;
  /** Whether the response waits for the command's end. */
  readonly awaited: boolean;
  /** Whether it cannot be resumed: it needs files of this daemon, or secrets that are stored nowhere. */
  readonly fleeting: boolean;
  /** The values that secrets depend on, and with `attempt` further attempts; absent if nothing does. */
  readonly scope: CommandScope | undefined;
}

/** The values of the names that a command's expressions read. */
export type CommandScope = Readonly<Record<string, unknown>>;

/** The standard input or a file of a command. */
export type CommandInput = string | Uint8Array | Secret;

/** The response on success. */
export interface SuccessReply {
  readonly body: string | undefined;
  /** The body after the command has ended, instead of `body`, or why there is none. */
  readonly resultBody?: ((run: RunEnd) => string | Refusal) | undefined;
  readonly headers: Readonly<Record<string, string>>;
}

/** A run that has ended. */
interface RunEnd {
  readonly run: string;
  readonly state: string;
  readonly exitCode?: number;
  readonly output: Uint8Array;
}

/** The longest argument or variable of Linux, name included. */
const LONGEST = 128 * 1024 - 1;

/**
 * The command, or a refusal: the request lacks a value, or has one that no command can take. `bytes`:
 * the body as received.
 */
export function commandOf(
  hook: CommandBlock,
  scope: CommandScope,
  bytes: Uint8Array,
): HookCommand | Refusal {
  const { env, stdin, response, concurrency_key, dedupe, limit } = hook.values;
  const paths = mapped(hook.values.files, (_content, name) => `${FILES}/${name}`);
  const hasFiles = Object.keys(paths).length > 0;
  const making = new CommandBuilder(hasFiles ? { ...scope, file_path: paths } : scope, bytes);
  const { argv, script } = argvOf(hook, making);
  const variables = mapped(env, (expression, name) => making.variable(expression, name));
  const contents = mapped(hook.values.files, (content) => making.input(content));
  const input = stdin && making.input(stdin);
  const { body, result_body } = response?.values ?? {};
  const key = concurrency_key && making.text(concurrency_key, "the concurrency key");
  const delivery = dedupe && making.text(dedupe.values.key, "the key of the delivery");
  const limitKey = limit?.values.key && making.text(limit.values.key, "the key of the limit");
  const reply: SuccessReply = {
    body: body && making.text(body, "the answer", Number.POSITIVE_INFINITY),
    resultBody: result_body && ((end) => resultBody(result_body, scope, end)),
    headers: mapped(response?.values.headers ?? {}, (expression, name) =>
      making.header(expression, name),
    ),
  };
  if (argv[0] === "") making.complain("The program's name is empty.");
  const files = script === undefined ? contents : { ...contents, [SCRIPT]: script };
  const isRepeated = "attempt" in scope;
  return (
    making.refusal ??
    ({
      argv,
      env: hasFiles ? { ...variables, ...paths } : variables,
      stdin: input,
      reply,
      files: hasFiles || script !== undefined ? files : undefined,
      key,
      delivery,
      limitKey,
      awaited: waits(hook),
      fleeting: false,
      scope: making.mixes || isRepeated ? withoutProof(scope) : undefined,
    } satisfies HookCommand)
  );
}

function resultBody(
  expression: Expression<Plain>,
  scope: CommandScope,
  { run, state, exitCode, output }: RunEnd,
): string | Refusal {
  const text = Buffer.from(output.buffer, output.byteOffset, output.length).toString("utf8");
  const outcome = expression.evaluate({
    ...{ ...scope, run, state, output: text },
    ...(exitCode === undefined ? {} : { exit_code: exitCode }),
  });
  if (outcome.kind === "value") return String(outcome.value);
  const why =
    outcome.kind === "missing"
      ? `\`${outcome.what}\` is missing`
      : outcome.message.replace(/\.$/, "");
  return refuse(
    "command_failed",
    `The response cannot be evaluated: ${why}; run ${run} has the details.`,
    { status: 502 },
  );
}

function argvOf(
  { values: { run, script, args }, label = "" }: CommandBlock,
  making: CommandBuilder,
): { readonly argv: readonly string[]; readonly script?: string } {
  if (!script) {
    const argv = (run ?? []).map((expression, index) =>
      making.text(expression, index === 0 ? "the program's name" : `argument ${index}`),
    );
    return { argv };
  }
  const text = making.text(script, "the script");
  const words = args.map((word, index) => making.text(word, `argument ${index + 1}`));
  const [first, interpreter, argument] = /^#!\s*(\S+)(?:[ \t]+([^\n]*\S))?/.exec(text) ?? [];
  if (first === undefined || interpreter === undefined) {
    return { argv: ["/bin/sh", "-c", text, label, ...words] };
  }
  // Starts the interpreter instead of the file: that needs no execute permission.
  const prefix = argument === undefined ? [interpreter] : [interpreter, argument];
  return { argv: [...prefix, `${FILES}/${SCRIPT}`, ...words], script: text };
}

/** A placeholder for the directory of the command's files, until it runs. */
export const FILES = "/\u0001files";
const SCRIPT = ".script";

class CommandBuilder {
  /** Whether a secret depends on the request. */
  mixes = false;
  /** The first refusal. */
  refusal: Refusal | undefined;
  readonly #scope: CommandScope;
  readonly #bytes: Uint8Array;

  constructor(scope: CommandScope, bytes: Uint8Array) {
    this.#scope = scope;
    this.#bytes = bytes;
  }

  text(expression: Expression<Plain>, purpose: string, longest = LONGEST): string {
    const value = this.#value(expression, purpose);
    return value === undefined ? "" : this.#fit(String(value), purpose, longest);
  }

  /** Secrets stay secrets. */
  variable(expression: Expression<Plain | Secret>, name: string): string | Secret {
    const purpose = `the variable \`${name}\``;
    const value = this.#value(expression, purpose);
    if (value === undefined) return "";
    if (isSecret(value)) return this.#secret(value, expression);
    return this.#fit(String(value), purpose, LONGEST - name.length - 1);
  }

  input(expression: Expression<unknown>): CommandInput {
    const scope = { ...this.#scope, raw_body: rawBody(this.#bytes) };
    const value = this.#value(expression, "the command's input", scope);
    if (value === undefined) return "";
    if (isSecret(value)) return this.#secret(value, expression);
    const bytes = bytesOf(value);
    if (bytes) return bytes;
    return typeof value === "string" ? value : JSON.stringify(value);
  }

  header(expression: Expression<Plain>, name: string): string {
    const purpose = `the answer's header \`${name}\``;
    const value = this.text(expression, purpose);
    if (/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return value;
    this.complain(`The value for ${purpose} has characters that a header cannot have.`);
    return "";
  }

  complain(detail: string): void {
    this.refusal ??= refuse("incomplete_request", detail);
  }

  #secret(value: Secret, { constant }: Expression<unknown>): Secret {
    this.mixes ||= !constant;
    return value;
  }

  #value<T>(expression: Expression<T>, purpose: string, scope = this.#scope): T | undefined {
    const outcome = expression.evaluate(scope);
    if (outcome.kind === "value") return outcome.value;
    this.complain(
      outcome.kind === "missing"
        ? `The request has no \`${outcome.what}\`, which is needed for ${purpose}.`
        : `${capital(purpose)} cannot be evaluated: ${outcome.message}.`,
    );
    return undefined;
  }

  #fit(value: string, purpose: string, longest: number): string {
    if (value.includes("\0")) {
      this.complain(`The value for ${purpose} contains a NUL character.`);
    } else if (value.length > longest || Buffer.byteLength(value) > longest) {
      this.complain(
        `The value for ${purpose} is longer than 128 KiB; such data belongs in \`stdin\`.`,
      );
    }
    return value;
  }
}

type Plain = string | number | boolean;

export const isSecret = (value: unknown): value is Secret =>
  typeof value === "object" &&
  value !== null &&
  "reveal" in value &&
  typeof value.reveal === "function";

/** Whether the response waits for the command's end. */
export function waits({ values: { response } }: CommandBlock): boolean {
  if (!response) return false;
  const { values } = response;
  if (values.poll) return false;
  return (
    values.wait ||
    values.include_output ||
    values.include_output_on_error ||
    values.from_command ||
    values.stream !== undefined ||
    values.result_body !== undefined
  );
}

/** Without the usual credential headers: waiting runs are stored on disk. */
function withoutProof(scope: CommandScope): CommandScope {
  if (typeof scope.header !== "object" || scope.header === null) return scope;
  const header = Object.entries(scope.header).filter(([name]) => !PROOF.test(name));
  return { ...scope, header: Object.fromEntries(header) };
}

const PROOF = /authorization|cookie|token|secret|signature|password|key|hmac/i;

const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

function mapped<In, Out>(
  record: Readonly<Record<string, In>>,
  change: (value: In, name: string) => Out,
): Record<string, Out> {
  return Object.fromEntries(
    Object.entries(record).map(([name, value]) => [name, change(value, name)]),
  );
}
