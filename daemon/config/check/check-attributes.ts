/** Checks the attributes of one block: known, present where required, of the right type. */
import { dirname, resolve } from "node:path";
import { type SourceLocation } from "../../../grammar/diagnostic.js";
import { parseExpression } from "../../../grammar/parse.js";
import { suggest } from "../../../grammar/suggest.js";
import { type AttributeDescriptor, type BlockDescriptor } from "../../plugin-api/descriptor.js";
import { type Range } from "../../plugin-api/values.js";
import {
  createDiagnostic,
  locationIn,
  type ReportDiagnostic,
  renameFix,
  reportWithin,
  suggestFix,
} from "../diagnose.js";
import { type Dependencies } from "../evaluate/dependencies.js";
import { type EvaluationContext, locationOf } from "../evaluate/evaluation-run.js";
import { NoValue } from "../evaluate/outcome.js";
import { nodeOf } from "../evaluate/residual.js";
import { type AttributeSite } from "../expand/site.js";
import { adviceOnAttribute } from "../habits.js";
import { ownProperty } from "../own-property.js";
import { PATH_SEPARATOR } from "../values/block.js";
import { isList, isObject, type Value } from "../values/value.js";
import { type BlockBody, type EvaluatedAttribute } from "./block-body.js";
import { defaultValue } from "./defaults.js";
import { refuseRemovedAttribute, warnDeprecatedAttribute } from "./deprecation.js";
import { type DraftLocation, isDraft } from "./draft.js";
import { complaintsOf } from "./issue-diagnostics.js";
import { type Translator } from "./translate.js";
import { locateValue, nameAt } from "./value-location.js";

export interface CheckedAttributes {
  readonly values: Readonly<Record<string, unknown>>;
  readonly sound: boolean;
}

export function checkAttributes(
  body: BlockBody,
  translator: Translator,
  ranges: Map<string, Range>,
  uses: Dependencies,
): CheckedAttributes {
  const values: Record<string, unknown> = {};
  let sound = !body.isUnreadable;
  for (const [name, site] of body.body.attributes) {
    const known = knownAttribute(name, site, body);
    if (!known) sound = false;
    else {
      const checked = checkAttribute(name, known, body, translator, ranges, uses);
      if (checked === UNSOUND) sound = false;
      else if (checked !== ABSENT) values[name] = checked;
    }
  }
  for (const [name, descriptor] of Object.entries(body.descriptor.attributes)) {
    if (Object.hasOwn(values, name) || descriptor.removed) continue;
    if (descriptor.default !== undefined) values[name] = byDefault(descriptor, body, translator);
    else if (!body.body.attributes.has(name) && descriptor.required) {
      sound = false;
      if (!body.isUnreadable) reportAbsent(name, descriptor, body);
    } else values[name] = undefined;
  }
  return { values, sound };
}

const UNSOUND = Symbol("unsound");
const ABSENT = Symbol("absent");

const reportAt = (site: AttributeSite, body: BlockBody) =>
  reportWithin(body.world.report, body.subject, site.trace);

/** Leaves out a fix that would give an attribute twice. */
const withoutDuplicates =
  (report: ReportDiagnostic, { body: { attributes } }: BlockBody): ReportDiagnostic =>
  ({ fix, ...rest }) =>
    report(
      fix?.edits.some(({ text }) => attributes.has(text)) ? rest : { ...rest, ...(fix && { fix }) },
    );

/** The descriptor of an allowed attribute; reports a diagnostic and returns `undefined` otherwise. */
function knownAttribute(
  name: string,
  site: AttributeSite,
  body: BlockBody,
): AttributeDescriptor | undefined {
  const { attributes, blocks } = body.descriptor;
  const location = locationIn(site.scope.unit.name, site.node.name);
  const report = withoutDuplicates(reportAt(site, body), body);
  const descriptor = ownProperty(attributes, name);
  if (descriptor?.removed) {
    refuseRemovedAttribute(name, location, descriptor.removed, report);
    return undefined;
  }
  if (descriptor) {
    if (descriptor.deprecated) {
      warnDeprecatedAttribute(name, location, descriptor.deprecated, report);
    }
    return descriptor;
  }
  const isBlock = Object.hasOwn(blocks, name);
  const offered = Object.keys(attributes).filter((each) => !attributes[each]?.removed);
  const advice = isBlock ? undefined : adviceOnAttribute(name);
  const suggestion = isBlock || advice ? undefined : suggest(name, offered);
  const known = offered.map((each) => `\`${each}\``).join(", ");
  const help = isBlock
    ? `\`${name}\` is a block: write \`${name}${labelOf(site, blocks[name])} { … }\``
    : advice !== undefined
      ? advice
      : suggestion === undefined && offered.length > 0
        ? `it has ${known}`
        : undefined;
  report(
    createDiagnostic(
      "E101",
      location,
      `unknown attribute \`${name}\` in \`${kindOf(body)}\` block`,
      {
        label: suggestFix(suggestion),
        fix: renameFix(location, suggestion),
        help,
      },
    ),
  );
  return undefined;
}

/** The string that an attribute has in place of a block's label. */
const labelOf = ({ node: { value } }: AttributeSite, block: BlockDescriptor | undefined): string =>
  value.kind === "string" && block?.labels.length ? ` "${value.value}"` : "";

const kindOf = (body: BlockBody): string => body.site.node.type.map((each) => each.text).join(".");

function reportAbsent(name: string, descriptor: AttributeDescriptor, body: BlockBody): void {
  const [example = "…"] = descriptor.examples ?? [];
  body.report(
    createDiagnostic("E103", body.header, `\`${body.subject}\` needs \`${name}\``, {
      label: `\`${name}\` is missing`,
      help: `add \`${name} = ${example}\``,
    }),
  );
}

function checkAttribute(
  name: string,
  descriptor: AttributeDescriptor,
  body: BlockBody,
  translator: Translator,
  ranges: Map<string, Range>,
  uses: Dependencies,
): unknown {
  const attribute = body.attribute(name);
  if (!attribute || attribute === "circle") return UNSOUND;
  uses.add(attribute.context.uses);
  const { outcome } = attribute;
  if (outcome instanceof NoValue) return UNSOUND;
  if (outcome === null && !descriptor.required && descriptor.type.type !== "any") return ABSENT;
  noteRanges([name], outcome, attribute, ranges);
  const checked = translator.schema(descriptor.type).safeParse(outcome);
  if (checked.success) {
    return toCheckedValue(checked.data, [], (path) => valueLocations(attribute, path));
  }
  const complaints = complaintsOf(checked.error.issues, {
    path: [name],
    type: descriptor.type,
    value: outcome,
    locationOf: (path) => locateValue(attribute, path.slice(1)),
    nameAt: (path) => nameAt(attribute, path.slice(1)),
    isLiteral: (location) => isLiteral(location, attribute.context),
  });
  complaints.forEach(attribute.context.report);
  return UNSOUND;
}

function textAt(location: SourceLocation, context: EvaluationContext): string {
  return context.world.units.get(location.file)?.text.slice(location.start, location.end) ?? "";
}

/** Only a literal can be replaced by a fix. */
function isLiteral(location: SourceLocation, context: EvaluationContext): boolean {
  const { expression } = parseExpression({ path: location.file, text: textAt(location, context) });
  return /^(string|number|boolean|duration|size|percent|null)$/.test(expression.kind);
}

/** The details that a draft at a path of the attribute's value needs. */
function valueLocations(attribute: EvaluatedAttribute, path: ReadonlyArray<string | number>) {
  const { context, site } = attribute;
  const own = locationOf(site.node.value, context);
  const found = path.length === 0 ? { location: own } : locateValue(attribute, path);
  return {
    location: path.length === 0 ? own : found.location,
    textAt: (location: SourceLocation) => textAt(location, context),
    resolve: (written: string) => {
      const origin = locateValue(attribute, path);
      const unit = context.world.units.get((origin.origin ?? origin.location).file);
      return resolve(dirname(unit?.path ?? "/"), written);
    },
    nodeOf: (value: Value) => nodeOf(value, found.location, context),
  };
}

/** The attribute's value, and of lists and objects every part that has a place of its own. */
function noteRanges(
  path: ReadonlyArray<string | number>,
  value: Value,
  attribute: EvaluatedAttribute,
  ranges: Map<string, Range>,
): void {
  const whole = locationOf(attribute.site.node.value, attribute.context);
  ranges.set(path.join(PATH_SEPARATOR), whole);
  const note = (inside: ReadonlyArray<string | number>, container: Value): void => {
    const written = attribute.context.world.written(container);
    if (!written || written.location.file !== whole.file) return;
    if (written.location.start < whole.start || written.location.end > whole.end) return;
    const parts: ReadonlyArray<readonly [string | number, Value]> = isList(container)
      ? [...container.entries()]
      : isObject(container)
        ? Object.entries(container)
        : [];
    for (const [key, part] of parts) {
      const location = written.element(key);
      if (location) ranges.set([...inside, key].join(PATH_SEPARATOR), location);
      note([...inside, key], part);
    }
  };
  note(path, value);
}

/** A default passes the same check as a written value; its location is the block's header. */
function byDefault(
  descriptor: AttributeDescriptor,
  body: BlockBody,
  translator: Translator,
): unknown {
  const value = defaultValue(descriptor);
  if (value === undefined) return undefined;
  const checked = translator.schema(descriptor.type).safeParse(value);
  if (!checked.success) return undefined;
  const { world, site } = body;
  const context: EvaluationContext = {
    world,
    scope: site.scope,
    uses: body.uses,
    report: body.report,
  };
  return toCheckedValue(checked.data, [], () => ({
    location: body.header,
    textAt: () => descriptor.default ?? "",
    resolve: (written) => resolve(dirname(site.scope.unit.path), written),
    nodeOf: (part) => nodeOf(part, body.header, context),
  }));
}

function toCheckedValue(
  value: unknown,
  path: ReadonlyArray<string | number>,
  valueLocations: (path: ReadonlyArray<string | number>) => DraftLocation,
): unknown {
  if (isDraft(value)) return value.finish(valueLocations(path));
  if (Array.isArray(value)) {
    return value.map((item, index) => toCheckedValue(item, [...path, index], valueLocations));
  }
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [
      name,
      toCheckedValue(each, [...path, name], valueLocations),
    ]),
  );
}
