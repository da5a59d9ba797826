/** `reeve updates tokens`: who may use the interface and the repositories. */

import { connect } from "../../control/client.js";
import { controlExits, controlOptions } from "../../control/option.js";
import { choice, count, defineCommand, text } from "../../plugin-api/command.js";
import { Exit } from "../../plugin-api/exit.js";
import { writeTable } from "../../print/layout.js";
import { getUpdates, postUpdates } from "../../updates/ask.js";

interface Token {
  readonly id: number;
  readonly name: string;
  readonly scope: string;
}

export const command = defineCommand({
  description:
    "Lists tokens without showing any. With --add: makes one and prints it, this once; only a digest of it is kept.",
  options: {
    add: text("ACCOUNT", "make a token for this account"),
    name: text("NAME", "what the new token is called", { fallback: "token" }),
    scope: choice(["read", "push", "admin"], "what the new token may do", { fallback: "push" }),
    revoke: count("ID", "make this token worthless"),
    ...controlOptions,
  },
  examples: [
    { command: "reeve updates tokens --add acme", does: "prints a new token for acme" },
    { command: "reeve updates tokens --revoke 1", does: "makes the token 1 worthless" },
  ],
  exits: { [Exit.findings]: "there is no such account or token", ...controlExits },
  async run({ options, output }) {
    const control = connect(options);
    if (options.add !== undefined) {
      const { name, scope } = options;
      const made = await postUpdates<Token & { readonly token: string }>(control, "/tokens", {
        ...{ login: options.add, name, scope },
      });
      if (options.json) output.json(made);
      else output.out.line(made.token);
      return Exit.ok;
    }
    if (options.revoke !== undefined) {
      const path = `/tokens/${options.revoke}/revoke`;
      const { revoked } = await postUpdates<{ readonly revoked: boolean }>(control, path);
      if (options.json) output.json({ revoked });
      else output.out.line(revoked ? "The token is worthless now." : "There is no such token.");
      return revoked ? Exit.ok : Exit.findings;
    }
    const answer = await getUpdates<{ readonly tokens: readonly Token[] }>(control, "/tokens");
    if (options.json) output.json(answer);
    else if (answer.tokens.length === 0) output.err.line("No tokens.");
    else {
      writeTable(
        output.out,
        [
          { title: "ID", cell: ({ id }: Token) => String(id), align: "right" },
          { title: "NAME", cell: ({ name }: Token) => name },
          { title: "SCOPE", cell: ({ scope }: Token) => scope },
        ],
        answer.tokens,
      );
    }
    return Exit.ok;
  },
});
