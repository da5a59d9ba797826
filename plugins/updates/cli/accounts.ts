/** `reeve updates accounts`: the owners of repositories. */
import {
  choice,
  controlExits,
  controlOptions,
  defineCommand,
  Exit,
  text,
  writeList,
} from "reeve/cli";
import { getUpdates, postUpdates } from "./requests.js";

interface Account {
  readonly id: number;
  readonly login: string;
  readonly type: string;
  readonly repos: number;
}

export const command = defineCommand({
  description: "Lists accounts. With --add: creates one on the daemon's own code host.",
  options: {
    add: text("LOGIN", "create an account"),
    type: choice(["org", "user"], "the type of the new account", { fallback: "org" }),
    ...controlOptions,
  },
  examples: [
    { command: "reeve updates accounts", does: "lists all accounts" },
    { command: "reeve updates accounts --add acme", does: "creates the account acme" },
  ],
  exits: { [Exit.findings]: "the account exists already", ...controlExits },
  async run(call) {
    const { options, output, control } = call;
    if (options.add !== undefined) {
      const account = { login: options.add, type: options.type };
      const created = await postUpdates<Account>(control, "/accounts", account);
      if (options.json) output.json(created);
      else output.out.line(`Created the account ${created.login}.`);
      return Exit.ok;
    }
    const body = await getUpdates<{ readonly accounts: readonly Account[] }>(control, "/accounts");
    return writeList(call, body, body.accounts, "No accounts.", [
      { title: "ID", cell: ({ id }) => String(id), align: "right" },
      { title: "ACCOUNT", cell: ({ login }) => login },
      { title: "TYPE", cell: ({ type }) => type },
      { title: "REPOS", cell: ({ repos }) => String(repos), align: "right" },
    ]);
  },
});
