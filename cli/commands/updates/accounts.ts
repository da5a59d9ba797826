/** `reeve updates accounts`: who owns repositories here. */

import { connect } from "../../control/client.js";
import { controlExits, controlOptions } from "../../control/option.js";
import { choice, defineCommand, text } from "../../plugin-api/command.js";
import { Exit } from "../../plugin-api/exit.js";
import { writeTable } from "../../print/layout.js";
import { getUpdates, postUpdates } from "../../updates/ask.js";

interface Account {
  readonly id: number;
  readonly login: string;
  readonly type: string;
  readonly repos: number;
}

export const command = defineCommand({
  description: "Lists accounts. With --add: makes one on the daemon's own code host.",
  options: {
    add: text("LOGIN", "make an account"),
    type: choice(["org", "user"], "what the new account is", { fallback: "org" }),
    ...controlOptions,
  },
  examples: [
    { command: "reeve updates accounts", does: "lists all accounts" },
    { command: "reeve updates accounts --add acme", does: "makes the account acme" },
  ],
  exits: { [Exit.findings]: "there is such an account already", ...controlExits },
  async run({ options, output }) {
    const control = connect(options);
    if (options.add !== undefined) {
      const made = await postUpdates<Account>(control, "/accounts", {
        login: options.add,
        type: options.type,
      });
      if (options.json) output.json(made);
      else output.out.line(`Made the account ${made.login}.`);
      return Exit.ok;
    }
    const answer = await getUpdates<{ readonly accounts: readonly Account[] }>(
      control,
      "/accounts",
    );
    if (options.json) output.json(answer);
    else if (answer.accounts.length === 0) output.err.line("No accounts.");
    else {
      writeTable(
        output.out,
        [
          { title: "ID", cell: ({ id }: Account) => String(id), align: "right" },
          { title: "ACCOUNT", cell: ({ login }: Account) => login },
          { title: "TYPE", cell: ({ type }: Account) => type },
          { title: "REPOS", cell: ({ repos }: Account) => String(repos), align: "right" },
        ],
        answer.accounts,
      );
    }
    return Exit.ok;
  },
});
