/** Elm's package site: releases with dates, and the elm.json and source code of each version. */
import { once } from "node:events";
import { createServer, type RequestListener } from "node:http";
import type { Served } from "../../../tests/support/answers.js";
import { elmArchive, elmManifest } from "./elm-sources.js";
import { closed, urlOf } from "./server.js";

export interface ElmSite extends AsyncDisposable, Served {
  /** The same over another transport. */
  readonly answer: RequestListener;
  /** The versions that the site lists, by name. It serves unlisted versions too. */
  readonly listed: Map<string, readonly string[]>;
  /** URLs of the requests. */
  readonly requests: readonly string[];
  /** Publishes only in the list of releases. */
  announce(name: string, version: string): void;
  publish(
    name: string,
    version: string,
    dependencies?: Readonly<Record<string, string>>,
    elm?: string,
  ): void;
}

export async function elmSite(): Promise<ElmSite> {
  const files = new Map<string, string | Uint8Array>();
  const releases = new Map<string, Record<string, number>>();
  const listed = new Map<string, readonly string[]>();
  const requests: string[] = [];
  const announce = (name: string, version: string): void => {
    const known = { ...releases.get(name), [version]: 1_767_225_600 };
    releases.set(name, known);
    files.set(`/packages/${name}/releases.json`, JSON.stringify(known));
  };
  const answer: RequestListener = ({ url = "/" }, response) => {
    requests.push(url);
    if (url.startsWith("/all-packages/since/")) return response.end("[]");
    const all = url === "/all-packages" ? JSON.stringify(Object.fromEntries(listed)) : undefined;
    const body = all ?? files.get(url);
    return response.writeHead(body === undefined ? 404 : 200).end(body);
  };
  const server = createServer(answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  const url = urlOf(server);
  return {
    url,
    answer,
    get published() {
      // Archives have their digests in another file.
      return [...listed, ...[...files].filter(([, body]) => typeof body === "string")];
    },
    listed,
    requests,
    announce,
    publish: (name, version, dependencies = {}, elm = "0.19.0 <= v < 0.20.0") => {
      announce(name, version);
      listed.set(name, [...(listed.get(name) ?? []), version]);
      const about = { name, version, "elm-version": elm, dependencies };
      const base = `/packages/${name}/${version}`;
      const { zip, hash } = elmArchive(about);
      files.set(`${base}/elm.json`, elmManifest(about));
      files.set(`${base}/source.zip`, zip);
      files.set(`${base}/endpoint.json`, JSON.stringify({ url: `${url}${base}/source.zip`, hash }));
    },
    [Symbol.asyncDispose]: () => closed(server),
  };
}
