/** Finds mistakes before a file is used; the existing server finds them at a request, or never. */

import { badHeader } from "../../blocks/header-names.js";
import { badName } from "../../decide/environment.js";
import { isKnownStatus } from "../decide.js";
import type { FileHook, FilePosition, MatchRule, ParameterReference, RuleMatch } from "../hook.js";
import { sources } from "../request/retrieve.js";
import { rangesOf } from "../rules/addresses.js";
import { matchTypes } from "../rules/match.js";
import { patternOf } from "../rules/pattern.js";
import type { HooksFileIssue } from "./tree.js";

export function inspectHooks(hooks: readonly FileHook[]): readonly HooksFileIssue[] {
  const inspection = new Inspection();
  for (const hook of hooks) inspection.hook(hook);
  return inspection.complaints;
}

class Inspection {
  readonly complaints: HooksFileIssue[] = [];
  readonly #ids = new Map<string, FilePosition>();

  hook(hook: FileHook): void {
    const { id, position } = hook;
    const duplicate = this.#ids.get(id);
    if (id === "") this.#say(position, "this hook has no `id`");
    else if (duplicate)
      this.#say(position, `the id \`${id}\` is taken by the hook in line ${duplicate.line}`);
    else this.#ids.set(id, position);
    if (hook.command === "") this.#say(position, "this hook has no `execute-command`");
    for (const [field, status] of [
      ["success-http-response-code", hook.successStatus],
      ["trigger-rule-mismatch-http-response-code", hook.mismatchStatus],
    ] as const) {
      if (status !== 0 && !isKnownStatus(status)) {
        this.#say(position, `\`${field}\` is ${status}, which is no status of HTTP`);
      }
    }
    for (const { name } of hook.headers) {
      const wrong = badHeader(name);
      if (wrong) this.#say(position, wrong);
    }
    this.#references(hook);
    if (hook.rule) this.#rule(hook.rule);
  }

  #references(hook: FileHook): void {
    for (const reference of hook.args) this.#reference(reference);
    for (const reference of [...hook.env, ...hook.files]) {
      this.#reference(reference);
      if (reference.variable === "") continue;
      const wrong = badName(reference.variable);
      if (wrong) this.#say(reference.position, wrong);
    }
    for (const reference of hook.parseAsJson) {
      if (["header", "url", "query", "payload"].includes(reference.source)) continue;
      this.#say(
        reference.position,
        "only values of `header`, `url`, `query` and `payload` can be parsed as JSON",
      );
    }
  }

  #reference({ source, name, position }: ParameterReference): void {
    if (!sources.includes(source)) {
      const message = source === "" ? "there is no `source`" : `there is no source \`${source}\``;
      this.#say(position, message, `sources are ${sources.join(", ")}`);
    } else if (source === "request" && !/^(method|remote-addr)$/i.test(name)) {
      this.#say(position, `a request has no \`${name}\``, "it has `method` and `remote-addr`");
    } else if (name === "" && /^(header|url|query|payload)$/.test(source)) {
      this.#say(position, `this \`${source}\` has no \`name\``);
    }
  }

  #rule(rule: MatchRule): void {
    if (rule.kind === "and" || rule.kind === "or") for (const each of rule.rules) this.#rule(each);
    else if (rule.kind === "not") this.#rule(rule.rule);
    else if (rule.kind === "match") this.#match(rule.match, rule.position);
    else {
      const help = "leave `trigger-rule` out if every request is welcome";
      this.#say(rule.position, "this rule is empty, so nothing satisfies it", help);
    }
  }

  #match(match: RuleMatch, position: FilePosition): void {
    const { type } = match;
    if (!matchTypes.includes(type)) {
      const message =
        type === "" ? "this match has no `type`" : `there is no match type \`${type}\``;
      this.#say(position, message, `types are ${matchTypes.join(", ")}`);
      return;
    }
    const ranged = type === "ip-whitelist";
    if (!ranged && type !== "scalr-signature") this.#reference(match.parameter);
    if (ranged && (match.range.trim() === "" || typeof rangesOf(match.range) === "string")) {
      this.#say(
        position,
        `\`ip-range\` is not a list of addresses and networks: \`${match.range}\``,
      );
    }
    if (type === "regex" && typeof patternOf(match.regex) === "string") {
      this.#say(position, `\`${match.regex}\` is not a pattern of RE2`);
    }
    if (/^(payload-|scalr)/.test(type) && match.secret === "") {
      const help = "a template gives an empty text where a variable or file is missing";
      this.#say(position, "the `secret` is empty, so any sender can sign", help);
    }
  }

  #say(position: FilePosition, message: string, help?: string): void {
    this.complaints.push({ position, message, ...(help === undefined ? {} : { help }) });
  }
}
