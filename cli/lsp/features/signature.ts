/** The parameters of the function that is being called. */
import type { Position, SignatureHelp } from "vscode-languageserver-protocol";
import { cursorAt } from "../language/cursor.js";
import { contextAt } from "../language/cursor-context.js";
import type { TextDocument } from "../language/document.js";
import { signatureOf } from "../language/schema.js";
import type { Project } from "../project.js";

export function signatureAt(
  project: Project,
  document: TextDocument,
  position: Position,
): SignatureHelp | undefined {
  const cursor = cursorAt(document, document.offsetAt(position));
  const context = contextAt(cursor, document, project.vocabulary);
  if (context.at !== "value" || !context.call) return undefined;
  const { name, argument, named } = context.call;
  const called = project.vocabulary.function(name);
  if (!called) return undefined;
  const label = signatureOf(called);
  let from = name.length + 1;
  const parameters = called.parameters.map(({ name: parameter, optional, rest }) => {
    const written = `${parameter}${rest ? "…" : optional ? "?" : ""}`;
    const start = label.indexOf(written, from);
    from = start + written.length;
    return { label: [start, from] as [number, number] };
  });
  const byName = called.parameters.findIndex((each) => each.name === named);
  const last = called.parameters.length - 1;
  const index =
    byName >= 0 ? byName : called.parameters[last]?.rest ? Math.min(argument, last) : argument;
  return {
    signatures: [{ label, parameters, documentation: { kind: "markdown", value: called.doc } }],
    activeSignature: 0,
    activeParameter: index,
  };
}
