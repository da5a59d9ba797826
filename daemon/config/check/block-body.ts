/** A block under evaluation: its body is expanded once, and each attribute is evaluated once, on first use. */
import type { SourceLocation } from "../../../grammar/diagnostic.js";
import type * as tree from "../../../grammar/tree.js";
import type { BlockDescriptor, TypeDescriptor } from "../../plugin-api/descriptor.js";
import { createDiagnostic, locationIn, type ReportDiagnostic, reportWithin } from "../diagnose.js";
import { Dependencies } from "../evaluate/dependencies.js";
import type {
  AcceptedWords,
  EvaluationContext,
  EvaluationRun,
  LaterNames,
} from "../evaluate/evaluation-run.js";
import { BROKEN, type Evaluated } from "../evaluate/outcome.js";
import { LexicalScope } from "../evaluate/scope.js";
import { strict } from "../evaluate/strict.js";
import { declareLets, type ExpansionScope } from "../expand/flatten.js";
import { expandBody, type MergedBody } from "../expand/merge.js";
import type { AttributeSite, BlockSite } from "../expand/site.js";
import { ownProperty } from "../own-property.js";

export interface EvaluatedAttribute {
  readonly outcome: Evaluated;
  readonly site: AttributeSite;
  /** The context of its evaluation, to locate the origin of the value. */
  readonly context: EvaluationContext;
}

/** A block in another. */
export interface NestedBody {
  readonly kind: string;
  readonly labels: readonly string[];
  readonly body: BlockBody;
}

export interface NestedBodies {
  readonly byKind: ReadonlyMap<string, readonly NestedBody[]>;
  readonly sound: boolean;
}

export class BlockBody {
  readonly site: BlockSite;
  readonly descriptor: BlockDescriptor;
  readonly world: EvaluationRun;
  /** What its structure was decided by. */
  readonly uses = new Dependencies();
  /** The blocks in it, once they were looked for. */
  nested: NestedBodies | undefined;
  readonly #describe: () => string;
  #subject: string | undefined;
  #body: MergedBody | undefined;
  readonly #attributes = new Map<string, EvaluatedAttribute | "evaluating">();

  /** `describe` gives the block in the words of messages: `hook "deploy"`. */
  constructor(
    site: BlockSite,
    descriptor: BlockDescriptor,
    describe: () => string,
    world: EvaluationRun,
  ) {
    this.site = site;
    this.descriptor = descriptor;
    this.#describe = describe;
    this.world = world;
  }

  /** Most blocks of a load are reused, and need none. */
  get subject(): string {
    this.#subject ??= this.#describe();
    return this.#subject;
  }

  /** From the kind to the last label. */
  get header(): SourceLocation {
    return headerLocation(this.site);
  }

  /** For complaints about the block itself. */
  get report(): ReportDiagnostic {
    return this.#reportAt(this.site.trace);
  }

  #reportAt(trace: BlockSite["trace"]): ReportDiagnostic {
    return reportWithin(this.world.report, this.subject, trace);
  }

  /** Whether an item could not be read: what seems to be absent may be there. */
  get isUnreadable(): boolean {
    return hasBadItem(this.site.node.body.items);
  }

  get body(): MergedBody {
    this.#body ??= this.#expand();
    return this.#body;
  }

  #expand(): MergedBody {
    const { node, scope: outer, trace } = this.site;
    const scope = new LexicalScope(outer.unit, outer);
    const report = reportWithin(this.world.report, this.subject, []);
    const expansion: ExpansionScope = { world: this.world, scope, trace, report, uses: this.uses };
    declareLets(node.body.items, scope, this.report);
    return expandBody(
      node.body.items,
      expansion,
      (kind) => ownProperty(this.descriptor.blocks, kind)?.maximum === 1,
    );
  }

  /** The value of a given attribute; `undefined` if it is absent. */
  attribute(name: string): EvaluatedAttribute | "circle" | undefined {
    const known = this.#attributes.get(name);
    if (known === "evaluating") return "circle";
    if (known) return known;
    const site = this.body.attributes.get(name);
    if (!site) return undefined;
    this.#attributes.set(name, "evaluating");
    const evaluated = this.#evaluate(site, ownProperty(this.descriptor.attributes, name)?.type);
    this.#attributes.set(name, evaluated);
    return evaluated;
  }

  #evaluate(site: AttributeSite, type: TypeDescriptor | undefined): EvaluatedAttribute {
    const later = type && laterNames(type);
    const context: EvaluationContext = {
      world: this.world,
      scope: site.scope,
      uses: new Dependencies(),
      report: this.#reportAt(site.trace),
      ...(later ? { later } : {}),
      ...(type && { words: acceptedWords(type) }),
    };
    const outcome = strict(this.world.evaluate(site.node.value, context), context);
    return { outcome, site, context };
  }

  /** An attribute that is needed to work out itself, through blocks that read each other. */
  circle(name: string, context: EvaluationContext, location: SourceLocation): Evaluated {
    context.report(
      createDiagnostic(
        "E210",
        location,
        `\`${name}\` of \`${this.subject}\` is needed to work out itself`,
      ),
    );
    return BROKEN;
  }
}

function hasBadItem(items: readonly tree.Item[]): boolean {
  return items.some((item) => {
    if (item.kind === "for") return hasBadItem(item.body.items);
    if (item.kind !== "if") return item.kind === "bad_item";
    return hasBadItem([...item.consequent.items, ...(item.alternate?.items ?? [])]);
  });
}

export function headerLocation(site: BlockSite): SourceLocation {
  const { type, labels } = site.node;
  const end = (labels.at(-1) ?? type.at(-1) ?? type[0]).end;
  return locationIn(site.scope.unit.name, { start: type[0].start, end });
}

/** The texts that a type accepts, elements of lists included. */
function acceptedWords(type: TypeDescriptor): AcceptedWords {
  switch (type.type) {
    case "enum":
      return { choices: type.values.filter((each) => typeof each === "string"), text: false };
    case "list":
      return acceptedWords(type.items);
    case "union": {
      const all = type.of.map(acceptedWords);
      return { choices: all.flatMap(({ choices }) => choices), text: all.some(({ text }) => text) };
    }
    default:
      return { choices: [], text: /^(string|path|host_pattern)$/.test(type.type) };
  }
}

const namesByType = new WeakMap<TypeDescriptor, LaterNames | null>();

/** The run-time names that a value of this type may use; `undefined` if none. */
export function laterNames(type: TypeDescriptor): LaterNames | undefined {
  const known = namesByType.get(type);
  if (known !== undefined) return known ?? undefined;
  const found = scopesIn(type);
  const [first] = found;
  const names = first
    ? { title: first.title, names: Object.assign({}, ...found.map((scope) => scope.names)) }
    : null;
  namesByType.set(type, names);
  return names ?? undefined;
}

function scopesIn(type: TypeDescriptor): readonly LaterNames[] {
  switch (type.type) {
    case "expression":
      return [type.scope];
    case "list":
      return scopesIn(type.items);
    case "map":
      return scopesIn(type.values);
    case "object":
      return Object.values(type.attributes).flatMap((attribute) => scopesIn(attribute.type));
    case "union":
      return type.of.flatMap(scopesIn);
    default:
      return [];
  }
}
