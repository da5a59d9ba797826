/** The package site of Elm: releases and the elm.json of each. */
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

export interface ElmSite extends AsyncDisposable {
  readonly url: string;
  publish(
    name: string,
    version: string,
    dependencies?: Readonly<Record<string, string>>,
    elm?: string,
  ): void;
}

export async function elmSite(): Promise<ElmSite> {
  const files = new Map<string, unknown>();
  const releases = new Map<string, Record<string, number>>();
  const server = createServer(({ url = "/" }, response) => {
    const body = files.get(url);
    response.writeHead(body === undefined ? 404 : 200).end(JSON.stringify(body));
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    publish: (name, version, dependencies = {}, elm = "0.19.0 <= v < 0.20.0") => {
      const known = { ...releases.get(name), [version]: 1_767_225_600 };
      releases.set(name, known);
      files.set(`/packages/${name}/releases.json`, known);
      const about = { type: "package", name, version, "elm-version": elm, dependencies };
      files.set(`/packages/${name}/${version}/elm.json`, about);
    },
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}
