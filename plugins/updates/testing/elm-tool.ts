/**
 * Elm itself, from Debian's package `elm-compiler`. It uses one package site over HTTPS, so the test's site replaces it
 * behind a proxy, with a certificate of an authority that Elm trusts.
 */
import { once } from "node:events";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { createServer } from "node:http";
import { createServer as createSecureServer } from "node:https";
import { type AddressInfo, connect, type Socket } from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { answer, identity } from "../../../tests/support/answers.js";
import { outputOf, run as startProgram } from "../../../tests/support/child.js";
import type { ElmSite } from "./elm-site.js";

const PROGRAM = "/usr/bin/elm";
const HOST = "package.elm-lang.org";

export interface ElmTool extends AsyncDisposable {
  /** Runs in a directory with these files. Confirms every prompt. */
  run: RunElm;
  /** The same; Elm may not run again where it has before, and the site may see no request. */
  answer: RunElm;
}

type RunElm = (
  files: Readonly<Record<string, string>>,
  ...args: readonly string[]
) => Promise<{ readonly ok: boolean; readonly said: string; readonly manifest: string }>;

export async function elmTool(site: ElmSite): Promise<ElmTool> {
  const folder = await mkdtemp(join(tmpdir(), "reeve-elm-"));
  const { key, cert, authority } = await certificate(folder);
  const secure = createSecureServer({ key, cert }, site.answer).listen(0, "127.0.0.1");
  await once(secure, "listening");
  const open = new Set<Socket>();
  const proxy = createServer().on("connect", (_request, client: Socket, head) => {
    const through = connect((secure.address() as AddressInfo).port, "127.0.0.1", () => {
      client.write("HTTP/1.1 200 OK\r\n\r\n");
      through.write(head);
      through.pipe(client).pipe(through);
    });
    for (const socket of [client, through]) {
      open.add(socket);
      socket.on("error", () => socket.destroy()).once("close", () => open.delete(socket));
    }
  });
  proxy.listen(0, "127.0.0.1");
  await once(proxy, "listening");
  const env = {
    HOME: folder,
    ELM_HOME: join(folder, "kept"),
    LANG: "C.UTF-8",
    SYSTEM_CERTIFICATE_PATH: authority,
    https_proxy: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
  };
  const run: ElmTool["run"] = async (files, ...args) => {
    const cwd = await mkdtemp(join(folder, "project-"));
    for (const [name, text] of Object.entries(files)) {
      await mkdir(dirname(join(cwd, name)), { recursive: true });
      await writeFile(join(cwd, name), text);
    }
    // The list of releases changes between runs; downloads do not.
    await rm(join(env.ELM_HOME, "0.19.1/packages/registry.dat"), { force: true });
    const { code, stdout, stderr } = await startProgram(PROGRAM, args, { cwd, env, input: "y\n" });
    const said = stdout + stderr;
    // Elm sometimes fails to read a file that it is still writing.
    if (said.includes("resource busy (file is locked)")) return run(files, ...args);
    return { ok: code === 0, said, manifest: await readFile(join(cwd, "elm.json"), "utf8") };
  };
  return {
    run,
    answer: (files, ...args) =>
      answer([identity(PROGRAM), site.published, files, args], () => run(files, ...args), site.url),
    [Symbol.asyncDispose]: async () => {
      for (const socket of open) socket.destroy();
      secure.closeAllConnections();
      secure.close();
      proxy.close();
      await Promise.all([once(secure, "close"), once(proxy, "close")]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

/** A certificate for the site, and its authority. */
async function certificate(folder: string) {
  const make = (subject: string, ...extra: readonly string[]) =>
    outputOf("openssl", [
      ...["req", "-x509", "-nodes", "-days", "1", "-subj", `/CN=${subject}`],
      ...["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1"],
      ...["-keyout", join(folder, `${subject}.key`), "-out", join(folder, `${subject}.pem`)],
      ...extra,
    ]);
  await make("authority");
  const authority = join(folder, "authority.pem");
  await make(
    HOST,
    ...["-CA", authority, "-CAkey", join(folder, "authority.key")],
    ...["-addext", `subjectAltName=DNS:${HOST}`, "-addext", "basicConstraints=critical,CA:FALSE"],
  );
  const [key, cert] = await Promise.all(
    ["key", "pem"].map((kind) => readFile(join(folder, `${HOST}.${kind}`), "utf8")),
  );
  return { key: key ?? "", cert: cert ?? "", authority };
}
