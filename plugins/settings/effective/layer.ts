/** Layers: sources of settings. */

/** From the lowest to the highest; `editor` only where an editor is at the other end. */
export type LayerOrigin = "default" | "file" | "workspace" | "editor" | "override";

export interface Layer {
  readonly origin: LayerOrigin;
  /** The file it was read from. */
  readonly path?: string;
  readonly values: Readonly<Record<string, unknown>>;
}

/** One layer's value of a key. */
export interface LayerValue {
  readonly value: unknown;
  readonly origin: LayerOrigin;
  readonly path?: string;
}

export const saidBy = ({ origin, path }: Layer, value: unknown): LayerValue =>
  path === undefined ? { value, origin } : { value, origin, path };

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
