/** The blocks that are read before everything else: `daemon` in the root file, `plugin` in any file. */

import type { Secret } from "../../plugin-api/values.js";
import { BlockBody, headerLocation } from "../check/block-body.js";
import { type CheckedBlock, checkBlock } from "../check/check-block.js";
import { labelsOf } from "../check/labels.js";
import { Translator } from "../check/translate.js";
import {
  daemonDescriptor,
  daemonSettings,
  defaultSettings,
  EDITIONS,
  NEWEST_EDITION,
  pluginDescriptor,
} from "../daemon-block.js";
import { createDiagnostic } from "../diagnose.js";
import { Dependencies } from "../evaluate/dependencies.js";
import type { EvaluationRun } from "../evaluate/evaluation-run.js";
import { type SourceUnit } from "../evaluate/scope.js";
import type { BlockSite } from "../expand/site.js";
import { blockHeader } from "../keys.js";
import type { DaemonSettings, PluginDeclaration } from "../program.js";
import { kindOf } from "./top-level.js";

const translator = new Translator(undefined);

/** The blocks of a kind at the top level of a file, unexpanded. */
const written = (unit: SourceUnit, kind: string): readonly BlockSite[] =>
  unit.tree.items.flatMap((node) => {
    if (node.kind !== "block" || node.disabled) return [];
    const site: BlockSite = { node, scope: unit.scope, trace: [] };
    return kindOf(site) === kind ? [site] : [];
  });

/** The settings of the root file's `daemon` block; defaults where it is absent or invalid. */
export function readDaemonSettings(root: SourceUnit, world: EvaluationRun): DaemonSettings {
  const [site, second] = written(root, "daemon");
  if (!site) return defaultSettings;
  if (second) {
    world.report(
      createDiagnostic("E114", headerLocation(second), "there is a `daemon` block already", {
        related: [{ location: headerLocation(site), message: "first given here" }],
      }),
    );
  }
  if (!labelsOf(site, daemonDescriptor, world, translator, world.report, new Dependencies())) {
    return defaultSettings;
  }
  const body = new BlockBody(site, daemonDescriptor, () => "daemon", world);
  const checked = checkBlock(body, "daemon", translator);
  if (!checked.sound) return defaultSettings;
  const settings = daemonSettings(checked.values);
  if (!EDITIONS.includes(settings.language)) unknownEdition(settings.language, checked, body);
  const store = checked.values.store as { readonly postgres: Secret } | undefined;
  if (!store) return settings;
  return { ...settings, store: { ...store, location: checked.ranges.get("store") ?? body.header } };
}

function unknownEdition(edition: number, checked: CheckedBlock, body: BlockBody): void {
  body.report(
    createDiagnostic(
      "E113",
      checked.ranges.get("language") ?? body.header,
      `this release does not know edition ${edition} of the language`,
      { help: `the newest one it knows is ${NEWEST_EDITION}; a newer release may know more` },
    ),
  );
}

/** `daemon` belongs into the root file. */
export function refuseSettings(units: readonly SourceUnit[], world: EvaluationRun): void {
  for (const unit of units) {
    for (const site of written(unit, "daemon")) {
      world.report(
        createDiagnostic(
          "E114",
          headerLocation(site),
          "the `daemon` block stands in the root file",
          {
            help: "a file that is imported cannot change the daemon's settings",
          },
        ),
      );
    }
  }
}

/** The plugins that the files ask for. */
export function readDeclarations(
  units: readonly SourceUnit[],
  world: EvaluationRun,
): readonly PluginDeclaration[] {
  const declarations = new Map<string, PluginDeclaration>();
  for (const site of units.flatMap((unit) => written(unit, "plugin"))) {
    const declaration = readDeclaration(site, world);
    const earlier = declaration && declarations.get(declaration.name);
    if (earlier) {
      world.report(
        createDiagnostic(
          "E105",
          declaration.location,
          `the plugin \`${declaration.name}\` is declared already`,
          {
            related: [{ location: earlier.location, message: "first given here" }],
          },
        ),
      );
    } else if (declaration) declarations.set(declaration.name, declaration);
  }
  return [...declarations.values()];
}

function readDeclaration(site: BlockSite, world: EvaluationRun): PluginDeclaration | undefined {
  const labels = labelsOf(
    site,
    pluginDescriptor,
    world,
    translator,
    world.report,
    new Dependencies(),
  );
  const [name] = labels ?? [];
  if (name === undefined) return undefined;
  const body = new BlockBody(site, pluginDescriptor, () => blockHeader("plugin", [name]), world);
  const { values, ranges, sound } = checkBlock(body, `plugin.${name}`, translator);
  if (!sound) return undefined;
  return {
    name,
    source: values.source as string,
    version: values.version as string | undefined,
    isolation: values.isolation as PluginDeclaration["isolation"],
    location: body.header,
    ranges,
  };
}
