/** An OCI image layout: https://github.com/opencontainers/image-spec */
import { readFileSync } from "node:fs";
import { join } from "node:path";

export interface Descriptor {
  readonly mediaType: string;
  readonly digest: string;
  readonly size: number;
}
export interface ImageConfig {
  readonly created: string;
  readonly architecture: string;
  readonly os: string;
  readonly config: {
    readonly User: string;
    readonly Env: readonly string[];
    readonly Entrypoint: readonly string[];
    readonly Cmd: readonly string[];
    readonly WorkingDir: string;
    readonly Volumes: Readonly<Record<string, object>>;
    readonly ExposedPorts: Readonly<Record<string, object>>;
    readonly Labels: Readonly<Record<string, string>>;
    readonly StopSignal: string;
    readonly Healthcheck: { readonly Test: readonly string[]; readonly Interval: number };
  };
  readonly rootfs: { readonly type: string; readonly diff_ids: readonly string[] };
  readonly history: readonly object[];
}

export interface Image {
  readonly config: ImageConfig;
  readonly layers: readonly Descriptor[];
}

interface Layout {
  // biome-ignore lint/suspicious/noExplicitAny: tests assert what is in it.
  readonly json: (path: string) => any;
  /** The path of the blob. */
  readonly blob: (digest: string) => string;
  readonly image: () => Image;
}

/** Reads the layout in a directory. */
export function layoutIn(directory: string): Layout {
  const json = (path: string) => JSON.parse(readFileSync(join(directory, path), "utf8"));
  const blob = (digest: string): string => join(directory, "blobs", ...digest.split(":"));
  const image = (): Image => {
    const manifest = JSON.parse(readFileSync(blob(json("index.json").manifests[0].digest), "utf8"));
    return {
      config: JSON.parse(readFileSync(blob(manifest.config.digest), "utf8")),
      layers: manifest.layers,
    };
  };
  return { json, blob, image };
}
