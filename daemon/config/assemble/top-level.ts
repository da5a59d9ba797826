/** The top-level items of all files, after `for`, `if` and `use` are expanded. */
import { createDiagnostic, locationIn, reportWithin } from "../diagnose.js";
import { Dependencies } from "../evaluate/dependencies.js";
import type { EvaluationRun } from "../evaluate/evaluation-run.js";
import { type SourceUnit } from "../evaluate/scope.js";
import { expandBody } from "../expand/merge.js";
import type { BlockSite } from "../expand/site.js";
import { adviceOnAttribute } from "../habits.js";

export interface TopLevel {
  readonly blocks: readonly BlockSite[];
  readonly tests: readonly BlockSite[];
}

/** Kinds that are the language's own. */
const OWN = new Set(["daemon", "plugin", "test"]);

export const kindOf = ({ node: { type } }: BlockSite): string => {
  const [first, second] = type;
  return second ? `${first.text}.${second.text}` : first.text;
};

export function topLevelOf(units: readonly SourceUnit[], world: EvaluationRun): TopLevel {
  const sites = units.flatMap((unit) => expandUnit(unit, world));
  return {
    blocks: sites.filter((site) => !OWN.has(kindOf(site))),
    tests: sites.filter((site) => kindOf(site) === "test"),
  };
}

function expandUnit(unit: SourceUnit, world: EvaluationRun): readonly BlockSite[] {
  const { report } = world;
  const expansion = { world, scope: unit.scope, trace: [], report, uses: new Dependencies() };
  const { attributes, blocks } = expandBody(unit.tree.items, expansion, () => false);
  for (const site of attributes.values()) {
    const { name, value } = site.node;
    // Its mistake is reported already; it may be a block with a wrong header.
    if (value.kind === "bad_expression") continue;
    reportWithin(
      report,
      undefined,
      site.trace,
    )(
      createDiagnostic(
        "E108",
        locationIn(site.scope.unit.name, name),
        `\`${name.text}\` stands in no block`,
        {
          help:
            adviceOnAttribute(name.text) ??
            `attributes belong into blocks; a value for the whole file is \`let ${name.text} = …\``,
        },
      ),
    );
  }
  return blocks.filter((site) => isWellPlaced(site, world));
}

/** `daemon` and `plugin` are read before anything is expanded, so nothing may decide about them. */
function isWellPlaced(site: BlockSite, world: EvaluationRun): boolean {
  const kind = kindOf(site);
  const early = kind === "daemon" || kind === "plugin";
  if (!early || (site.trace.length === 0 && site.scope === site.scope.unit.scope)) return true;
  const [type] = site.node.type;
  reportWithin(
    world.report,
    undefined,
    site.trace,
  )(
    createDiagnostic(
      "E108",
      locationIn(site.scope.unit.name, type),
      `\`${kind}\` stands at the top of a file`,
      {
        help: "it is read before any `for`, `if` or `use` is carried out",
      },
    ),
  );
  return false;
}
