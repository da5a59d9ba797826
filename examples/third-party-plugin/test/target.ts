/** A web site to be watched: `/up` is up, `/down` is down, `/slow` never answers. */
import { createServer } from "node:http";

export interface Target {
  readonly url: string;
  /** Of each request so far: its path and what it showed to be let in. */
  readonly seen: ReadonlyArray<{ readonly path: string; readonly token: string | undefined }>;
  close(): Promise<void>;
}

export async function target(): Promise<Target> {
  const seen: Array<Target["seen"][number]> = [];
  const server = createServer((request, response) => {
    const path = request.url ?? "/";
    seen.push({ path, token: request.headers.authorization });
    if (path !== "/slow") response.writeHead(path === "/up" ? 200 : 503).end("hello");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as { readonly port: number };
  return {
    url: `http://127.0.0.1:${port}`,
    seen,
    close: () => {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(() => resolve()));
    },
  };
}
