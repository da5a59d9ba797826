/** A block as its plugin sees it, made of plain data that can cross a border. */
import type { Block, Range } from "../../plugin-api/values.js";

/** Paths of the side table are joined with this; it cannot stand in a name of the language. */
export const PATH_SEPARATOR = "\u0000";

export const pathKey = (path: ReadonlyArray<string | number>): string => path.join(PATH_SEPARATOR);

export interface BlockParts {
  readonly kind: string;
  readonly labels: readonly string[];
  readonly key: string;
  readonly values: Readonly<Record<string, unknown>>;
  readonly doc: string | undefined;
  /** By path joined with `PATH_SEPARATOR`; `""` is the header. */
  readonly ranges: ReadonlyMap<string, Range>;
}

export class ConfiguredBlock implements Block {
  readonly kind: string;
  readonly labels: readonly string[];
  readonly key: string;
  readonly values: Record<string, unknown>;
  readonly doc: string | undefined;
  readonly ranges: ReadonlyMap<string, Range>;

  constructor(parts: BlockParts) {
    this.kind = parts.kind;
    this.labels = parts.labels;
    this.key = parts.key;
    this.values = parts.values;
    this.doc = parts.doc;
    this.ranges = parts.ranges;
  }

  get label(): string | undefined {
    return this.labels[0];
  }

  get range(): Range {
    return this.ranges.get("") as Range;
  }

  /** The nearest place: of the value itself, else of what it stands in, else the header. */
  rangeOf(...path: ReadonlyArray<string | number>): Range {
    for (let length = path.length; length > 0; length -= 1) {
      const found = this.ranges.get(pathKey(path.slice(0, length)));
      if (found) return found;
    }
    return this.range;
  }
}
