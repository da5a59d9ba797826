/** `test` blocks: expectations about the configuration itself, carried out whenever it is checked. */
import type { SourceLocation } from "../../../grammar/diagnostic.js";
import { suggest } from "../../../grammar/suggest.js";
import type { CheckedInstance } from "../assemble/blocks.js";
import { headerLocation } from "../check/block-body.js";
import { evaluateLabels } from "../check/labels.js";
import { createDiagnostic, locationIn, renameFix, reportWithin, suggestFix } from "../diagnose.js";
import { Dependencies } from "../evaluate/dependencies.js";
import {
  type EvaluationContext,
  type EvaluationRun,
  locationOf,
} from "../evaluate/evaluation-run.js";
import { NoValue } from "../evaluate/outcome.js";
import { LexicalScope } from "../evaluate/scope.js";
import { evaluateKnown } from "../evaluate/strict.js";
import { declareLets, flatten } from "../expand/flatten.js";
import type { AttributeSite, BlockSite } from "../expand/site.js";
import { blockHeader } from "../keys.js";
import type { TestOutcome } from "../program.js";
import { describeValue } from "../types/describe.js";
import { isList, type Value } from "../values/value.js";
import { explainExpectation } from "./explain-expectation.js";
import { type TestedBlocks, testFunctions } from "./test-functions.js";

export function runTests(
  sites: readonly BlockSite[],
  checked: readonly CheckedInstance[],
  world: EvaluationRun,
): readonly TestOutcome[] {
  const blocks = new Map(checked.map((each) => [each.block.key, each]));
  return sites.flatMap((site) => runTest(site, blocks, world) ?? []);
}

function runTest(
  site: BlockSite,
  blocks: TestedBlocks,
  world: EvaluationRun,
): TestOutcome | undefined {
  world.countBlocks(1, () => headerLocation(site));
  const outer = reportWithin(world.report, undefined, site.trace);
  const labels = evaluateLabels(site, world, outer, new Dependencies());
  const [name] = labels ?? [];
  if (name === undefined || labels?.length !== 1) {
    if (labels) {
      outer(
        createDiagnostic(
          "E106",
          headerLocation(site),
          "a `test` has one name that says what is true",
          {
            label: 'write `test "only main deploys"`',
          },
        ),
      );
    }
    return undefined;
  }
  const report = reportWithin(world.report, blockHeader("test", [name]), []);
  const scope = new LexicalScope(site.scope.unit, site.scope);
  world.addTestFunctions(scope, testFunctions(blocks));
  declareLets(site.node.body.items, scope, report);
  const expansion = { world, scope, trace: site.trace, report, uses: new Dependencies() };
  const body = flatten(site.node.body.items, expansion);
  for (const block of body.blocks) {
    report(createDiagnostic("E102", headerLocation(block), "a `test` has no blocks in it"));
  }
  const failures = body.attributes.flatMap((attribute) => runExpectation(attribute, world, report));
  return { name, location: headerLocation(site), failures };
}

/** `expect` or `reject`: the places where it does not hold. */
function runExpectation(
  site: AttributeSite,
  world: EvaluationRun,
  outer: EvaluationContext["report"],
): readonly TestFailure[] {
  const { name, value: node } = site.node;
  const report = reportWithin(outer, undefined, site.trace);
  const context: EvaluationContext = { world, scope: site.scope, uses: new Dependencies(), report };
  if (name.text !== "expect" && name.text !== "reject") {
    unknownAttribute(site, report);
    return [];
  }
  const wanted = name.text === "expect";
  const outcome = evaluateKnown(node, "a test is decided now", context);
  if (outcome instanceof NoValue) return [];
  return judgeAll(outcome, wanted, locationOf(node, context), site, context);
}

/** Lists hold when all their elements do, in lists in them too. */
function judgeAll(
  value: Value,
  wanted: boolean,
  location: SourceLocation,
  site: AttributeSite,
  context: EvaluationContext,
): readonly TestFailure[] {
  if (!isList(value)) return judge(value, wanted, location, site, context);
  const written = context.world.written(value);
  return value.flatMap((item, index) =>
    judgeAll(item, wanted, written?.element(index) ?? location, site, context),
  );
}

type TestFailure = TestOutcome["failures"][number];

function judge(
  value: Value,
  wanted: boolean,
  location: SourceLocation,
  site: AttributeSite,
  context: EvaluationContext,
): readonly TestFailure[] {
  if (value === wanted) return [];
  if (typeof value !== "boolean") {
    const message = `\`${site.node.name.text}\` must be true or false, not ${describeValue(value)}`;
    context.report(createDiagnostic("E314", location, message));
    return [];
  }
  const explanation = explainExpectation(site.node.value, location, context);
  const message = wanted
    ? "this is expected to hold, and does not"
    : "this must not hold, and does";
  context.report({ ...createDiagnostic("E701", location, message), notes: explanation });
  return [{ location, message, explanation }];
}

function unknownAttribute(site: AttributeSite, report: EvaluationContext["report"]): void {
  const { name } = site.node;
  const location = locationIn(site.scope.unit.name, name);
  const suggestion = suggest(name.text, ["expect", "reject"]);
  report(
    createDiagnostic("E101", location, `unknown attribute \`${name.text}\` in \`test\` block`, {
      label: suggestFix(suggestion),
      fix: renameFix(location, suggestion),
      help: suggestion === undefined ? "it has `expect` and `reject`, and `let`" : undefined,
    }),
  );
}
