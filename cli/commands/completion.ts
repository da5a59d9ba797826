/** `reeve completion`: a completion script for a shell, generated from the commands. */
import { controlOptions } from "../control/option.js";
import { defineCommand } from "../plugin-api/command.js";
import { Exit, Failure } from "../plugin-api/exit.js";
import { describeAll } from "../program/describe.js";
import { bashScript } from "./completion/bash.js";
import { fishScript } from "./completion/fish.js";
import { zshScript } from "./completion/zsh.js";

export const command = defineCommand({
  description:
    "Generate it again after an update: it lists the commands of this version. " +
    "The script runs `reeve completion names COMMAND` for the names that a command takes: hooks, sandboxes, tasks, schedules, runs, blocks.",
  arguments: [
    {
      name: "SHELL",
      summary: "the shell; `names` prints the names that a command takes",
      required: true,
      choices: ["bash", "zsh", "fish", "names"],
    },
    { name: "COMMAND", summary: "with `names`: the command, such as `hook show`", variadic: true },
  ],
  examples: [
    { command: "source <(reeve completion bash)", does: "for this shell; add it to ~/.bashrc" },
    {
      command: "reeve completion zsh > ~/.zfunc/_reeve",
      does: "for zsh, in a directory of $fpath",
    },
    {
      command: "reeve completion fish > ~/.config/fish/completions/reeve.fish",
      does: "for fish",
    },
  ],
  options: { control: controlOptions.control },
  async run({ arguments: [shell, ...path], options, output, commands }) {
    if (shell !== "names" && path.length > 0)
      throw new Failure(Exit.usage, `\`${path.join(" ")}\` is one argument too many`);
    const described = await describeAll(commands);
    if (shell === "names") {
      const { namesFor } = await import("./completion/names.js");
      for (const name of await namesFor(described, path, options.control)) output.out.line(name);
      return Exit.ok;
    }
    if (shell === "bash") {
      output.out.write(
        bashScript(
          described,
          commands.map(({ name }) => name),
        ),
      );
    } else output.out.write((shell === "zsh" ? zshScript : fishScript)(described, commands));
    return Exit.ok;
  },
});
