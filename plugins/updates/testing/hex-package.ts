/** The data of a package in a Hex registry: its archives, and a signed protocol buffer about them. */
import { createHash, generateKeyPairSync, sign } from "node:crypto";
import { gzipSync } from "node:zlib";
import { tar } from "./tarball.js";

export interface HexDependency {
  readonly name: string;
  readonly requirement: string;
  readonly app?: string;
  readonly optional?: boolean;
  readonly repo?: string;
}

export interface PublishedHex {
  readonly version: string;
  readonly needs: readonly HexDependency[];
  /** @default mix */
  readonly tools?: readonly string[];
  retired?: string;
}

const sha256 = (...parts: readonly (string | Buffer)[]): Buffer =>
  parts.reduce((hash, part) => hash.update(part), createHash("sha256")).digest();

let keys: ReturnType<typeof makeKeys> | undefined;
const makeKeys = () => generateKeyPairSync("rsa", { modulusLength: 2048 });

/** The signing key of all registries in a process, in PEM. */
export const hexPublicKey = (): string => {
  keys ??= makeKeys();
  return keys.publicKey.export({ type: "spki", format: "pem" }).toString();
};

/** A reproducible archive as `mix hex.build` creates it, and its two checksums. */
export function hexArchive(
  name: string,
  { version, tools = ["mix"] }: Pick<PublishedHex, "version" | "tools">,
): { readonly bytes: Buffer; readonly inner: Buffer; readonly outer: Buffer } {
  const module = name.replace(/^./, (letter) => letter.toUpperCase());
  const files = {
    "mix.exs": `defmodule ${module}.MixProject do\n  use Mix.Project\n  def project, do: [app: :${name}, version: "${version}"]\nend\n`,
    "rebar.config": "{deps, []}.\n",
  };
  const list = tools.map((tool) => `<<"${tool}">>`).join(",");
  const metadata = `{<<"app">>,<<"${name}">>}.\n{<<"build_tools">>,[${list}]}.\n{<<"name">>,<<"${name}">>}.\n{<<"requirements">>,[]}.\n{<<"version">>,<<"${version}">>}.\n`;
  const contents = gzipSync(tar(files));
  const inner = sha256("3", metadata, contents);
  const bytes = tar({
    VERSION: "3",
    CHECKSUM: inner.toString("hex").toUpperCase(),
    "metadata.config": metadata,
    "contents.tar.gz": contents,
  });
  return { bytes, inner, outer: sha256(bytes) };
}

/** The response of a registry before compression. `repository` is its name. */
export function hexPackage(
  name: string,
  releases: readonly PublishedHex[],
  repository = "hexpm",
): Buffer {
  const payload = Buffer.concat([
    ...releases.map((release) => field(1, message(name, release))),
    field(2, name),
    field(3, repository),
  ]);
  keys ??= makeKeys();
  return Buffer.concat([field(1, payload), field(2, sign("sha512", payload, keys.privateKey))]);
}

function message(name: string, release: PublishedHex): Buffer {
  const { version, needs, retired } = release;
  const { inner, outer } = hexArchive(name, release);
  return Buffer.concat([
    field(1, version),
    field(2, inner),
    ...needs.map(({ name: needed, requirement, app, optional, repo }) =>
      field(
        3,
        Buffer.concat([
          ...[field(1, needed), field(2, requirement)],
          ...(optional ? [Buffer.from([3 << 3, 1])] : []),
          ...(app === undefined ? [] : [field(4, app)]),
          ...(repo === undefined ? [] : [field(5, repo)]),
        ]),
      ),
    ),
    ...(retired === undefined
      ? []
      : [field(4, Buffer.concat([Buffer.from([1 << 3, 2]), field(2, retired)]))]),
    field(5, outer),
  ]);
}

function field(number: number, value: Buffer | string): Buffer {
  const content = Buffer.from(value);
  return Buffer.concat([Buffer.from([(number << 3) | 2]), varint(content.length), content]);
}

function varint(value: number): Buffer {
  const out: number[] = [];
  for (let left = value; ; left = Math.floor(left / 128)) {
    if (left < 128) return Buffer.from([...out, left]);
    out.push((left % 128) | 128);
  }
}
