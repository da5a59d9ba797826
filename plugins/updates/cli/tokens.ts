/** `reeve updates tokens`: tokens for the HTTP API and for git. */
import {
  choice,
  controlExits,
  controlOptions,
  count,
  defineCommand,
  Exit,
  text,
  writeList,
} from "reeve/cli";
import { getUpdates, postUpdates } from "./requests.js";

interface AccessToken {
  readonly id: number;
  readonly name: string;
  readonly scope: string;
}

export const command = defineCommand({
  description:
    "Lists tokens without their values. With --add: creates one and prints it, this once; the daemon stores only a digest.",
  options: {
    add: text("ACCOUNT", "create a token for this account"),
    name: text("NAME", "the name of the new token", { fallback: "token" }),
    scope: choice(["read", "push", "admin"], "the scope of the new token", { fallback: "push" }),
    revoke: count("ID", "revoke a token"),
    ...controlOptions,
  },
  examples: [
    { command: "reeve updates tokens --add acme", does: "prints a new token for acme" },
    { command: "reeve updates tokens --revoke 1", does: "revokes the token 1" },
  ],
  exits: { [Exit.findings]: "there is no such account or token", ...controlExits },
  async run(call) {
    const { options, output, control } = call;
    if (options.add !== undefined) {
      const { name, scope } = options;
      const token = { login: options.add, name, scope };
      const created = await postUpdates<{ readonly token: string }>(control, "/tokens", token);
      if (options.json) output.json(created);
      else output.out.line(created.token);
      return Exit.ok;
    }
    if (options.revoke !== undefined) {
      const path = `/tokens/${options.revoke}/revoke`;
      const { revoked } = await postUpdates<{ readonly revoked: boolean }>(control, path);
      if (options.json) output.json({ revoked });
      else output.out.line(revoked ? "The token is revoked." : "There is no such token.");
      return revoked ? Exit.ok : Exit.findings;
    }
    const body = await getUpdates<{ readonly tokens: readonly AccessToken[] }>(control, "/tokens");
    return writeList(call, body, body.tokens, "No tokens.", [
      { title: "ID", cell: ({ id }) => String(id), align: "right" },
      { title: "NAME", cell: ({ name }) => name },
      { title: "SCOPE", cell: ({ scope }) => scope },
    ]);
  },
});
