/** A value that a validator cannot complete because it needs the value's location. */

import type { SourceLocation } from "../../../grammar/diagnostic.js";
import type { TypeDescriptor } from "../../plugin-api/descriptor.js";
import { type ExpressionParts, RunTimeExpression } from "../expression/expression.js";
import { Residual, type Value, type ValueNode } from "../values/value.js";

/** Returns the complete value, given the draft's location in the text. */
export interface Draft {
  finish(at: DraftLocation): unknown;
}

export interface DraftLocation {
  readonly location: SourceLocation;
  /** The text at a place, as it is written. */
  textAt(location: SourceLocation): string;
  /** A path as an absolute one, relative to the file it is written in. */
  resolve(path: string): string;
  /** A known or open value as a node. */
  nodeOf(value: Value): ValueNode;
}

export class PathDraft implements Draft {
  readonly path: string;

  constructor(path: string) {
    this.path = path;
  }

  finish(at: DraftLocation): string {
    return at.resolve(this.path);
  }
}

export class ExpressionDraft implements Draft {
  readonly value: Value;
  readonly returns: TypeDescriptor;
  readonly secret: boolean;

  constructor(value: Value, returns: TypeDescriptor, secret: boolean) {
    this.value = value;
    this.returns = returns;
    this.secret = secret;
  }

  finish(at: DraftLocation): RunTimeExpression {
    const { location } = at;
    const parts: ExpressionParts = {
      text: at.textAt(location),
      range: location,
      node: this.value instanceof Residual ? this.value.node : at.nodeOf(this.value),
      returns: this.returns,
      secret: this.secret,
    };
    return new RunTimeExpression(parts);
  }
}

export const isDraft = (value: unknown): value is Draft =>
  value instanceof PathDraft || value instanceof ExpressionDraft;
