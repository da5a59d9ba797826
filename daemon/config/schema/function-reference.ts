/** The reference of the language's functions, in Markdown, from their signatures. */
import { functionFamilies } from "../functions/functions.js";
import { type FunctionSignature, renderSignature } from "../functions/signature.js";

export function functionReference(): string {
  const families = functionFamilies.map(
    ([title, members]) =>
      `### ${title}\n\n| Function | Gives | For example |\n|---|---|---|\n${members.map(row).join("\n")}\n`,
  );
  return families.join("\n");
}

function row(signature: FunctionSignature): string {
  const examples = signature.examples.map(([call, result]) => `\`${call}\` is \`${result}\``);
  const cells = [`\`${renderSignature(signature)}\``, signature.doc, examples.join("<br>")];
  return `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`;
}
