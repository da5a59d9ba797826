/** Checks a plugin's description: its defaults and examples must pass the same checks as a user's text. */
import type {
  AttributeDescriptor,
  BlockDescriptor,
  PluginDescription,
} from "../../plugin-api/descriptor.js";
import { constantValue, expressionOf } from "../evaluate/constant.js";
import { isObject } from "../values/value.js";
import type { Translator } from "./translate.js";
import { mismatchOf } from "./type-mismatch.js";

const checked = new WeakMap<PluginDescription, readonly string[]>();

/** What is wrong, one sentence each: "the default of `hook.timeout` must be a duration, not …". */
export function faultsOf(
  description: PluginDescription,
  translator: Translator,
): readonly string[] {
  const known = checked.get(description);
  if (known) return known;
  const faults = Object.entries(description.blocks).flatMap(([kind, block]) =>
    blockFaults(kind, block, translator),
  );
  checked.set(description, faults);
  return faults;
}

function blockFaults(
  path: string,
  block: BlockDescriptor,
  translator: Translator,
): readonly string[] {
  return [
    ...Object.entries(block.attributes).flatMap(([name, attribute]) =>
      attributeFaults(`${path}.${name}`, attribute, translator),
    ),
    ...Object.entries(block.exports).flatMap(([name, { value }]) =>
      expressionOf(value).diagnostics.map(
        ({ message }) => `the export \`${path}.${name}\` cannot be read: ${message}`,
      ),
    ),
    ...Object.entries(block.blocks).flatMap(([kind, nested]) =>
      blockFaults(`${path}.${kind}`, nested, translator),
    ),
    ...(block.labels.length > 2 ? [`\`${path}\` has more than two labels`] : []),
  ];
}

function attributeFaults(
  path: string,
  attribute: AttributeDescriptor,
  translator: Translator,
): readonly string[] {
  const texts = [
    ...(attribute.default === undefined ? [] : [["default", attribute.default] as const]),
    ...(attribute.examples ?? []).map((text) => ["example", text] as const),
  ];
  return texts.flatMap(([what, text]) => {
    const wrong = constantFault(text, attribute, translator, what === "default");
    return wrong === undefined ? [] : [`the ${what} of \`${path}\` ${wrong}`];
  });
}

/** Examples may refer to names of a real configuration; defaults must be constant. */
function constantFault(
  text: string,
  attribute: AttributeDescriptor,
  translator: Translator,
  mustBeConstant: boolean,
): string | undefined {
  const { diagnostics } = expressionOf(text);
  const [unreadable] = diagnostics;
  if (unreadable) return `cannot be read: ${unreadable.message}`;
  if (!mustBeConstant) return undefined;
  const value = constantValue(text);
  if (isObject(value) && "faults" in value) return "is not constant";
  const result = translator.schema(attribute.type).safeParse(value);
  if (result.success) return undefined;
  return result.error.issues.map((issue) => mismatchOf(issue)?.complaint ?? issue.message)[0];
}
