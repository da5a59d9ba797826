/** A small code host with real bare repositories: parts of three REST APIs, and git over HTTP. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import { cpSync, mkdtempSync, rmSync } from "node:fs";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { outputOf } from "../../../tests/support/child.js";
import { backend } from "../git/http-backend.js";
import { checkPage, type ForgeKind, protectionOf, type SimulatedChecks } from "./forge-checks.js";
import { answerGraphql, directMerge, type SimulatedQueue } from "./forge-queue.js";
import { type Released, releasedAt } from "./forge-releases.js";
import { forgeRepository } from "./forge-repository.js";
import { closed, tokenOf, urlOf } from "./server.js";

interface ForgePull {
  readonly number: number;
  readonly base: string;
  readonly head: string;
  title: string;
  readonly body: string;
  state: "open" | "merged" | "closed";
  readonly comments: string[];
}

export interface Forge extends AsyncDisposable {
  /** Of the REST API. */
  readonly url: string;
  readonly bareDirectory: string;
  readonly pulls: ForgePull[];
  /** `GET /user 200`, in order. */
  readonly log: string[];
  /** Tokens and their permissions. */
  readonly tokens: Map<string, "push" | "read">;
  /** Releases of other repositories, by `account/name tag`; those of `secret` are private. */
  readonly released: Released;
  /** Ids of users with push permission. */
  readonly pushers: Set<number>;
  /** The checks of every commit, besides `check`. */
  readonly checks: SimulatedChecks;
  /** On GitHub: the base branch requires it. */
  queue: SimulatedQueue | undefined;
  /** The state of one check of every commit; undefined for no check. */
  check: "success" | "failure" | "pending" | undefined;
  /** The repository's name; requests with the first one are redirected. */
  name: string;
  /** Paths that are refused with 403. */
  readonly refusals: RegExp[];
  /** The status of the next responses, or headers added to them. */
  interruption: { readonly status?: number; readonly headers: Record<string, string> } | undefined;
  /** Awaited before each response: `POST /repos/acme/site/pulls`; for git with the query. */
  gate: (what: string) => Promise<void>;
  git(...args: string[]): Promise<string>;
}

interface ForgeRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  // biome-ignore lint/suspicious/noExplicitAny: bodies of three APIs.
  readonly body: any;
  readonly may: "push" | "read";
}
type Answer = readonly [status: number, body?: unknown, next?: string | undefined];

/** `acme/site` with the id 7, owned by the organisation with the id 3; a copy of the bare `repository`, or empty. */
export async function forge(kind: ForgeKind, repository?: string): Promise<Forge> {
  const root = mkdtempSync(join(tmpdir(), "reeve-forge-"));
  const bareDirectory = join(root, "acme/site.git");
  if (repository !== undefined) cpSync(repository, bareDirectory, { recursive: true });
  else await outputOf("git", ["init", "--quiet", "--bare", "--initial-branch=main", bareDirectory]);
  const git = async (...args: string[]): Promise<string> =>
    (await outputOf("git", ["-C", bareDirectory, ...args])).trim();
  const server = createServer((request, response) => {
    void serve(request, response).catch((thrown: unknown) => {
      response.writeHead(500).end(String(thrown));
    });
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  const origin = urlOf(server);
  const prefix = { github: "", gitea: "/api/v1", gitlab: "/api/v4" }[kind];
  const state: Forge = {
    url: `${origin}${prefix}`,
    bareDirectory,
    pulls: [],
    log: [],
    tokens: new Map([
      ["forge-token-1", "push"],
      ["forge-token-2", "read"],
    ]),
    released: new Map(),
    pushers: new Set([11]),
    checks: { reports: [], required: [], byRules: false, mostPerPage: 100, reviews: [] },
    queue: undefined,
    check: "success",
    name: "site",
    refusals: [],
    interruption: undefined,
    gate: async () => undefined,
    git,
    [Symbol.asyncDispose]: async () => {
      await closed(server);
      rmSync(root, { recursive: true, force: true });
    },
  };

  async function serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, searchParams } = new URL(request.url ?? "/", origin);
    await state.gate(`${request.method} ${request.url?.slice(prefix.length)}`);
    const token = tokenOf(request.headers.authorization ?? "");
    const may = state.tokens.get(token);
    if (pathname.startsWith("/git/")) {
      if (may === undefined) return void response.writeHead(401).end();
      const given = await backend({
        root,
        path: pathname.slice("/git".length),
        method: request.method ?? "GET",
        query: searchParams.toString(),
        headers: request.headers,
        user: may === "push" ? "robot" : undefined,
        body: request.method === "POST" ? request : undefined,
      });
      return void given.body.pipe(response.writeHead(given.status, given.headers));
    }
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const sent = Buffer.concat(chunks).toString("utf8");
    const redirected = redirectedFrom(pathname.slice(prefix.length));
    if (redirected !== undefined) {
      const address = `${origin}${prefix}${redirected}${request.url?.slice(pathname.length)}`;
      state.log.push(`${request.method} ${pathname.slice(prefix.length)} 301`);
      return void response.writeHead(301, { location: address }).end();
    }
    const path = pathname
      .slice(prefix.length)
      .replace(/^\/repositories\/7(?=\/)/, "/repos/acme/site")
      .replace(`/repos/acme/${state.name}`, "/repos/acme/site");
    const parsed = {
      method: request.method ?? "GET",
      path,
      query: searchParams,
      may: may ?? "read",
    };
    const [status, body, next] =
      may === undefined
        ? ([401, { message: "Bad credentials" }] as const)
        : await answer({ ...parsed, body: sent === "" ? undefined : JSON.parse(sent) });
    const text = JSON.stringify(body ?? null);
    const etag = `"${createHash("md5").update(text).digest("hex")}"`;
    const isKnown = request.headers["if-none-match"] === etag;
    const final = state.interruption?.status ?? (isKnown ? 304 : status);
    state.log.push(`${parsed.method} ${path} ${final}`);
    response.writeHead(final, {
      "content-type": "application/json",
      etag,
      ...(next === undefined ? {} : { link: `<${origin}${prefix}${next}>; rel="next"` }),
      ...state.interruption?.headers,
    });
    response.end(final === 304 ? undefined : text);
  }

  function redirectedFrom(path: string): string | undefined {
    if (state.name === "site" || !/^\/repos\/acme\/site(\/|$)/.test(path)) return undefined;
    return path.replace("/repos/acme/site", "/repositories/7");
  }

  async function answer(request: ForgeRequest): Promise<Answer> {
    const { method, path } = request;
    if (state.refusals.some((each) => each.test(path))) return [403, { message: "Forbidden" }];
    if (path === "/graphql" && state.queue)
      return answerGraphql(state.queue, request.body, (number) => headOf(state.pulls[number - 1]));
    const page = checkPage(kind, state, path, request.query);
    if (page) return [200, page.body, page.next];
    const pulls =
      /^\/(?:repos\/acme\/site\/pulls|projects\/7\/merge_requests)(?:\/(\d+))?(\/\w+)?$/;
    const [, number, rest] = pulls.exec(path) ?? [];
    if (pulls.test(path)) {
      return number === undefined
        ? listOrOpen(request)
        : onPull(request, state.pulls[Number(number) - 1], rest ?? "");
    }
    if (/^\/(repos\/acme\/site\/issues|projects\/7\/issues)\//.test(path)) {
      const [, issue, what] = /issues\/(\d+)\/(\w+)$/.exec(path) ?? [];
      if (what === "comments") state.pulls[Number(issue) - 1]?.comments.push(request.body.body);
      return [201, {}];
    }
    const other = releasedAt(state.released, decodeURIComponent(path), request.query);
    if (other) return other;
    const [, userId] = /\/(?:collaborators\/user-|members\/all\/)(\d+)/.exec(path) ?? [];
    if (userId !== undefined) {
      const mayPush = state.pushers.has(Number(userId));
      if (kind === "gitlab") return mayPush ? [200, { access_level: 30 }] : [404, {}];
      return [200, { permission: mayPush ? "write" : "read" }];
    }
    const [, branch] = /\/branches\/([^/]+)$/.exec(path) ?? [];
    if (branch !== undefined) {
      const ref = `refs/heads/${decodeURIComponent(branch)}`;
      const id = await git("rev-parse", "--verify", "--quiet", ref).catch(() => undefined);
      return id === undefined
        ? [404, {}]
        : [200, { commit: { id, sha: id }, ...protectionOf(kind, state.checks) }];
    }
    const repo = forgeRepository(kind, origin, state.name, request.may);
    switch (`${method} ${path}`) {
      case "GET /user":
        return [200, { id: 1, login: "robot", username: "robot", namespace_id: 2 }];
      case "GET /user/orgs":
      case "GET /groups":
        return [200, [{ id: 3, login: "acme", username: "acme", full_path: "acme" }]];
      case "GET /orgs/acme":
        return [200, { id: 3 }];
      case "GET /orgs/acme/repos":
      case "GET /groups/3/projects":
        return [200, [repo]];
      case "GET /user/repos":
      case "GET /users/robot/projects":
        return [200, []];
      case "GET /repos/acme/site/languages":
      case "GET /projects/7/languages":
        return [200, { Shell: 10.5, JavaScript: 89.5 }];
      case "GET /repos/acme/site":
      case "GET /repositories/7":
      case "GET /projects/7":
        return [200, repo];
      default:
        return [404, { message: "Not Found" }];
    }
  }

  const headOf = (pull: ForgePull | undefined): Promise<string> =>
    git("rev-parse", `refs/heads/${pull?.head}`);

  async function shown(pull: ForgePull): Promise<unknown> {
    const sha = await headOf(pull).catch(() => "0".repeat(40));
    if (kind === "gitlab") {
      const state = { open: "opened", merged: "merged", closed: "closed" }[pull.state];
      return { iid: pull.number, state, sha, title: pull.title };
    }
    const state = pull.state === "open" ? "open" : "closed";
    const { number, title } = pull;
    return { number, title, state, merged: pull.state === "merged", head: { ref: pull.head, sha } };
  }

  async function listOrOpen({ method, body, may }: ForgeRequest): Promise<Answer> {
    if (method === "GET") {
      const open = state.pulls.filter(({ state }) => state === "open");
      return [200, await Promise.all(open.map(shown))];
    }
    if (may !== "push") return [403, { message: "Forbidden" }];
    const head = body.head ?? body.source_branch;
    if (state.pulls.some((each) => each.state === "open" && each.head === head)) {
      return [kind === "github" ? 422 : 409, { message: "already exists" }];
    }
    const base = body.base ?? body.target_branch;
    const number = state.pulls.length + 1;
    state.pulls.push({
      number,
      base,
      head,
      title: body.title,
      body: body.body ?? body.description,
      state: "open",
      comments: [],
    });
    return [201, await shown(state.pulls[number - 1] as ForgePull)];
  }

  async function onPull(
    request: ForgeRequest,
    pull: ForgePull | undefined,
    rest: string,
  ): Promise<Answer> {
    if (!pull) return [404, { message: "Not Found" }];
    const { method, body } = request;
    if (rest === "/notes") {
      pull.comments.push(body.body);
      return [201, {}];
    }
    if (rest === "/merge")
      return state.queue ? directMerge : merge(pull, body.sha ?? body.head_commit_id);
    if (method !== "GET") {
      if (body.state === "closed" || body.state_event === "close") pull.state = "closed";
      if (body.title) pull.title = body.title;
    }
    return [200, await shown(pull)];
  }

  async function merge(pull: ForgePull, wanted: string): Promise<Answer> {
    const sha = await headOf(pull);
    if (sha !== wanted) return [409, { message: "Head branch was modified" }];
    await git("update-ref", `refs/heads/${pull.base}`, sha);
    pull.state = "merged";
    return [200, { sha, merge_commit_sha: null, iid: pull.number, state: "merged" }];
  }

  return state;
}
