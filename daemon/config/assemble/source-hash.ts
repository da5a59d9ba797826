/** What a program was made of, as one number and as a list of inputs. */
import { createHash } from "node:crypto";
import type { InputRequest, Inputs, InputValue } from "../inputs.js";
import { needKey } from "../inputs.js";
import type { Input } from "../program.js";
import { encodeValue } from "../values/wire.js";

/** SHA-256 over all sources and inputs, independent of their order. */
export function sourceHash(inputs: Inputs): string {
  const lines = inputs.used.map(([need, answer]) => `${needKey(need)} ${sourceDigest(answer)}`);
  const hash = createHash("sha256");
  for (const line of lines.sort()) hash.update(`${line}\n`);
  return hash.digest("hex");
}

/** What an answer was, in a few characters. */
export function sourceDigest(answer: InputValue): string {
  switch (answer.kind) {
    case "file":
    case "glob":
      return answer.hash;
    case "no_file":
      return answer.why;
    case "environment":
      return answer.hash ?? "not set";
    case "value":
      return JSON.stringify(encodeValue(answer.value));
    case "refused":
      return answer.message;
  }
}

/** Inputs besides the sources. `sources` holds their absolute paths. */
export function inputsOf(
  inputs: Inputs,
  sources: ReadonlySet<string>,
  secrets: Iterable<string>,
): readonly Input[] {
  const used = inputs.used.toSorted(([a], [b]) => (needKey(a) < needKey(b) ? -1 : 1));
  const named = used.flatMap(([need, answer]) => inputOf(need, answer, sources) ?? []);
  const references = [...secrets].sort();
  return [...named, ...references.map((reference): Input => ({ kind: "secret", reference }))];
}

export function inputOf(
  need: InputRequest,
  answer: InputValue,
  sources: ReadonlySet<string>,
): Input | undefined {
  switch (need.kind) {
    case "file":
      if (sources.has(need.path)) return undefined;
      return {
        kind: "file",
        path: need.path,
        hash: answer.kind === "file" ? answer.hash : undefined,
      };
    case "glob":
      return {
        kind: "glob",
        pattern: need.pattern,
        hash: answer.kind === "glob" ? answer.hash : "",
      };
    case "environment":
      return {
        kind: "environment",
        name: need.name,
        hash: answer.kind === "environment" ? answer.hash : undefined,
      };
    case "call":
      return undefined;
  }
}

/** Absolute paths and patterns whose change triggers a reload. */
export const watchedBy = (inputs: Inputs): readonly string[] =>
  inputs.used.flatMap(([need]) =>
    need.kind === "file" ? [need.path] : need.kind === "glob" ? [need.pattern] : [],
  );
