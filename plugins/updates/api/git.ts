/** Clone and push at `/git/<account>/<name>.git`. The password is a token; the user name is ignored. */
import type { Readable } from "node:stream";
import { errorMessage } from "../errors.js";
import { backend } from "../git/http-backend.js";
import { mayAtLeast } from "../hosts/contract.js";
import type { BranchPorts } from "../pipeline/inbound/branch-changes.js";
import { pushed } from "../pipeline/inbound/branch-changes.js";
import type { Ports } from "../pipeline/ports.js";
import { hostRepoOf, type NamedRepo } from "../store/repos.js";
import { ApiError } from "./errors.js";
import type { ApiReply, FastifyInstance, Request } from "./fastify.js";
import { tokenOf } from "./request.js";

const services = /^\/git-(upload|receive)-pack$/;

export function gitRoutes(
  app: FastifyInstance,
  ports: BranchPorts & Pick<Ports, "access" | "directory">,
): void {
  app.addContentTypeParser(
    /^application\/x-git-/,
    (_request: unknown, body: Readable, done: (error: null, body: Readable) => void) =>
      done(null, body),
  );
  const handle = (request: Request, reply: ApiReply) => answer(ports, request, reply);
  app.get("/:account/:name/*", handle);
  app.post("/:account/:name/*", handle);
}

async function answer(
  ports: BranchPorts & Pick<Ports, "access" | "directory">,
  request: Request,
  reply: ApiReply,
): Promise<unknown> {
  const { account, name, "*": rest } = request.params as Record<string, string>;
  const path = `/${rest}`;
  const query = request.url.split("?")[1] ?? "";
  const pushes = path === "/git-receive-pack" || query.includes("service=git-receive-pack");
  if (ports.host.kind !== "embedded" || !(path === "/info/refs" || services.test(path))) {
    throw new ApiError(404, "There is nothing at this address.", { code: "not_found" });
  }
  const { repo, login } = await permitted(
    ports,
    request,
    { account: account ?? "", name: (name ?? "").replace(/\.git$/, "") },
    pushes,
  );
  const given = await backend({
    root: repo.place.replace(/\/[^/]+$/, ""),
    path: `/${repo.place.split("/").at(-1)}${path}`,
    method: request.method,
    query,
    headers: request.headers,
    user: pushes ? login : undefined,
    body: request.body as Readable | undefined,
  });
  if (path === "/git-receive-pack") {
    void given.done
      .then(() => pushed(ports, repo))
      .catch((thrown: unknown) => {
        ports.log.warn("Cannot process a push", { reason: errorMessage(thrown) });
      });
  }
  reply.code(given.status).headers(given.headers);
  return reply.send(given.body);
}

/** @throws ApiError 401, 403 or 404 */
async function permitted(
  ports: Pick<Ports, "access" | "directory" | "host">,
  request: Request,
  { account, name }: { readonly account: string; readonly name: string },
  pushes: boolean,
): Promise<{ readonly repo: NamedRepo; readonly login: string }> {
  const token = tokenOf(request.headers.authorization);
  const caller = token === undefined ? undefined : await ports.access.caller(ports.host, token);
  const repo = await ports.directory.named(ports.host, account, name);
  if (!caller) {
    if (repo?.private === 0 && !pushes) return { repo, login: "anonymous" };
    throw new ApiError(401, "Give a token as the password, with any user name.", {
      code: "unauthorized",
      headers: { "www-authenticate": 'Basic realm="updates"' },
    });
  }
  const held = repo ? await ports.host.permission(caller, hostRepoOf(repo)) : "none";
  if (!repo || !mayAtLeast(held, "read")) {
    throw new ApiError(404, "Repository not found.", { code: "not_found" });
  }
  if (pushes && !mayAtLeast(held, "push")) {
    throw new ApiError(403, `The token may not push to ${account}/${name}.`, { code: "forbidden" });
  }
  return { repo, login: caller.login };
}
