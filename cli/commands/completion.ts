/** `reeve completion`: a completion script for a shell, generated from the commands. */
import { defineCommand } from "../plugin-api/command.js";
import { Exit } from "../plugin-api/exit.js";
import { describeAll } from "../program/describe.js";
import { bashScript } from "./completion/bash.js";
import { fishScript } from "./completion/fish.js";
import { zshScript } from "./completion/zsh.js";

export const command = defineCommand({
  description: "Generate it again after an update: it lists the commands of this version.",
  arguments: [
    {
      name: "SHELL",
      summary: "the shell",
      required: true,
      choices: ["bash", "zsh", "fish"],
    },
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
  async run({ arguments: [shell], output, commands }) {
    const described = await describeAll(commands);
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
