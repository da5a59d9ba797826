/** What plugins say about blocks that hold everything declared. */
import type { Diagnostic } from "../../grammar/diagnostic.js";
import { errorMessage } from "../errors.js";
import type { AttributeDescriptor, BlockDescriptor } from "../plugin-api/descriptor.js";
import type { CheckedInstance } from "./assemble/blocks.js";
import { createDiagnostic } from "./diagnose.js";
import type { BoundPlugin, PluginReport } from "./program.js";

/** Asks every plugin that has checks of its own about its sound blocks; about a block that is taken over once. */
export async function askPlugins(
  checked: readonly CheckedInstance[],
): Promise<readonly Diagnostic[]> {
  const byPlugin = Map.groupBy(
    checked.filter(
      ({ sound, block, instance, kept }) =>
        sound &&
        hasChecks(block.descriptor) &&
        kept?.acceptedBy !== instance.kind.plugin.description,
    ),
    ({ instance }) => instance.kind.plugin,
  );
  const answers = await Promise.all([...byPlugin].map(([plugin, own]) => ask(plugin, own)));
  return answers.flat();
}

async function ask(
  plugin: BoundPlugin,
  checked: readonly CheckedInstance[],
): Promise<readonly Diagnostic[]> {
  const { id } = plugin.description;
  try {
    const reports = await plugin.validate(checked.map(({ block }) => block));
    const complaints = reports.map((report) => reportTo(id, report, checked));
    const blamed = new Set(complaints.map(({ about }) => about));
    const clear = blamed.has(undefined) ? [] : checked.filter((each) => !blamed.has(each));
    for (const { kept } of clear) if (kept) kept.acceptedBy = plugin.description;
    return complaints.map(({ diagnostic }) => diagnostic);
  } catch (thrown) {
    const message = `the plugin \`${id}\` could not check its blocks: ${errorMessage(thrown)}`;
    return [createDiagnostic("E512", checked[0]?.instance.body.header, message)];
  }
}

/** A report with the block it is about, found by its place. */
function reportTo(
  plugin: string,
  report: PluginReport,
  checked: readonly CheckedInstance[],
): { readonly diagnostic: Diagnostic; readonly about: CheckedInstance | undefined } {
  const { range, message, severity, code, help } = report;
  const about = checked.find(({ block }) =>
    block.ranges
      .values()
      .some(
        ({ file, start, end }) => file === range.file && start === range.start && end === range.end,
      ),
  );
  const diagnostic: Diagnostic = {
    code: `${plugin}.${code}`,
    severity,
    message,
    location: range,
    ...(help === undefined ? {} : { help }),
    ...(about === undefined ? {} : { subject: about.instance.body.subject }),
    ...(about && about.block.trace.length > 0 ? { trace: about.block.trace } : {}),
  };
  return { diagnostic, about };
}

const withChecks = new WeakMap<BlockDescriptor, boolean>();

function hasChecks(descriptor: BlockDescriptor): boolean {
  const known = withChecks.get(descriptor);
  if (known !== undefined) return known;
  const isChecked = ({ checked }: AttributeDescriptor): boolean => checked === true;
  const found =
    descriptor.checked === true ||
    Object.values(descriptor.attributes).some(isChecked) ||
    Object.values(descriptor.blocks).some(hasChecks);
  withChecks.set(descriptor, found);
  return found;
}
