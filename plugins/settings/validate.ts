/** What is wrong with `settings` blocks, without side effects. */
import type { ConfigurationCheck } from "reeve/plugin";
import type { SettingsConfiguration } from "./blocks.js";
import { matchesPattern } from "./effective/file-states.js";
import { InvalidServer, isSchemaFile, type SettingsSource, sourceOf } from "./server-schema.js";

export async function validate(
  { blocks: { settings } }: Pick<SettingsConfiguration, "blocks">,
  { directory, host, report }: ConfigurationCheck,
): Promise<void> {
  for (const block of settings) {
    if (!host && isSchemaFile(block)) continue;
    try {
      const source = await sourceOf(block, directory);
      checkOverride(source, report);
      checkWrite(source, report);
    } catch (thrown) {
      if (!(thrown instanceof InvalidServer)) throw thrown;
      const { attribute, message, help, host } = thrown;
      report(block.rangeOf(attribute), message, {
        code: attribute,
        host,
        keeps: true,
        ...(help === undefined ? {} : { help }),
      });
    }
  }
}

type Report = ConfigurationCheck["report"];

function checkOverride({ block, checker, override }: SettingsSource, report: Report): void {
  for (const { key, value, path } of override) {
    const refusal = checker.refusal(key, value);
    if (refusal === undefined) continue;
    const isKnown = checker.knows(key);
    const { meant } = isKnown ? {} : checker.unknownKey(key);
    report(block.rangeOf("override", ...path), refusal, {
      severity: isKnown ? "error" : "warning",
      code: isKnown ? "value" : "unknown_key",
      ...(meant === undefined ? {} : { help: `did you mean \`${meant}\`?` }),
    });
  }
}

function checkWrite({ block, write, files, workspace }: SettingsSource, report: Report): void {
  if (write === undefined) return;
  if (![...files, ...workspace].some((each) => matchesPattern(each, write))) return;
  report(block.rangeOf("write"), "the merged settings would be read again as a settings file", {
    code: "circle",
    help: "write them to a file that is not watched",
  });
}
