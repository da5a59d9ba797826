/** The plugin's part of the control API: whoever reaches the daemon's socket is its owner, and needs no token. */
import type { Routes } from "reeve/plugin";
import { EmbeddedHost } from "./hosts/embedded/embedded.js";
import { Trouble } from "./problem.js";
import type { UpdatesService } from "./service.js";

interface Named {
  readonly login?: string;
  readonly type?: "org" | "user";
  readonly name?: string;
  readonly branch?: string;
  readonly scope?: "read" | "push" | "admin";
}

/** `service` is asked anew for every request. */
export const controlRoutes =
  (service: () => UpdatesService | undefined): Routes =>
  (app) => {
    const running = (): UpdatesService => {
      const found = service();
      if (found) return found;
      throw new Trouble("host_refused", "There is no `updates` block in the configuration.");
    };
    const embedded = (): EmbeddedHost => {
      const { host } = running();
      if (host instanceof EmbeddedHost) return host;
      throw new Trouble(
        "host_refused",
        "Accounts, repositories and tokens are made on the code host.",
      );
    };
    app.setErrorHandler((thrown, _request, reply) => {
      if (!(thrown instanceof Trouble)) throw thrown;
      return reply
        .code(409)
        .type("application/problem+json")
        .send({
          type: `urn:reeve:updates.${thrown.code}`,
          title: "Conflict",
          status: 409,
          code: `updates.${thrown.code}`,
          detail: thrown.message,
        });
    });

    app.get("/", () => ({ url: running().url }));
    app.post<{ Body: Named }>("/accounts", async ({ body: { login = "", type = "org" } }) => {
      const { id } = await embedded().addAccount(login, type);
      return { id, login, type };
    });
    app.post<{ Body: Named }>("/repos", async ({ body }) => {
      const { login = "", name = "", branch = "main" } = body;
      await embedded().addRepo(login, name, branch);
      const repo = await running().repoNamed(login, name);
      return { id: repo?.host_id, name: `${login}/${name}`, url: repo?.url };
    });
    app.post<{ Body: Named }>("/tokens", async ({ body }) => {
      const { login, name = "token", scope = "push" } = body;
      const { store, context } = running();
      const all = await embedded().everyAccount();
      const account = login === undefined ? undefined : all.find((each) => each.login === login);
      if (login !== undefined && !account) {
        throw new Trouble("no_repository", `There is no account "${login}".`);
      }
      const { token, row } = await store.accounts.issue(
        name,
        account?.id,
        scope,
        context.clock.now(),
      );
      return { id: row.id, name, scope, account: login ?? null, token };
    });
    app.get("/tokens", async () => ({
      tokens: (await running().store.accounts.tokens()).map(({ digest: _digest, ...rest }) => rest),
    }));
    app.delete<{ Params: { id: string } }>("/tokens/:id", async ({ params: { id } }) => ({
      revoked: await running().store.accounts.revoke(Number(id)),
    }));
  };
