/** Paths whose content is run or trusted later, relative to a home directory, which commands must not leave anything in. */

/** Shells, sessions, terminals and desktops. */
const sessions = [
  ...[".profile", ".bash_profile", ".bash_login", ".bash_logout", ".bashrc", ".bash_aliases"],
  ...[".zshenv", ".zprofile", ".zshrc", ".zlogin", ".zlogout", ".zsh", ".oh-my-zsh", ".config/zsh"],
  ...[".kshrc", ".mkshrc", ".cshrc", ".tcshrc", ".login", ".logout", ".inputrc", ".shrc"],
  ...[".config/fish", ".config/nushell", ".config/starship.toml", ".direnvrc", ".config/direnv"],
  ...[".pam_environment", ".xinitrc", ".xprofile", ".xsession", ".xsessionrc", ".xbindkeysrc"],
  ...[".config/autostart", ".config/systemd", ".config/environment.d", ".local/share/systemd"],
  ...[".config/plasma-workspace", ".local/share/applications", ".local/share/dbus-1"],
  ...[".config/sway", ".config/i3", ".i3", ".config/hypr", ".config/openbox", ".config/waybar"],
  ...[".tmux.conf", ".config/tmux", ".screenrc", ".config/kitty", ".config/alacritty"],
  ...[".wezterm.lua", ".config/wezterm", ".config/ghostty", ".mailcap", ".muttrc", ".lessfilter"],
];

/** Version control and remote shells. */
const versionControl = [
  ...[".gitconfig", ".config/git", ".git-templates", ".config/gh/config.yml", ".config/lazygit"],
  ...[".tigrc", ".hgrc", ".config/hg", ".subversion", ".ssh", ".gnupg"],
  // The home directory as a repository.
  ...[".git/hooks", ".git/config", ".git/config.worktree", ".git/info", ".git/commondir"],
];

const editors = [
  ...[".vimrc", ".vim", ".gvimrc", ".exrc", ".ideavimrc", ".nanorc", ".emacs", ".emacs.d"],
  ...[".config/nvim", ".config/vim", ".config/emacs", ".config/helix", ".config/zed"],
  ...[".config/Code/User", ".config/VSCodium/User", ".config/Cursor/User", ".config/JetBrains"],
  ...[".vscode", ".vscode-server", ".cursor", ".idea", ".local/share/nvim/site"],
];

/** Settings, instructions and extensions of agents. */
const agents = [
  ...[".claude/settings.json", ".claude/settings.local.json", ".claude/CLAUDE.md"],
  ...[".claude/commands", ".claude/agents", ".claude/hooks", ".claude/plugins", ".claude/skills"],
  ...[".codex/config.toml", ".codex/AGENTS.md", ".codex/prompts", ".copilot", ".continue"],
  ...[".gemini/settings.json", ".gemini/GEMINI.md", ".gemini/extensions", ".gemini/commands"],
  ...[".aider.conf.yml", ".config/opencode", ".config/goose", ".mcp.json"],
];

/** Configuration of tools that can name commands, and code that tools load on their own. */
const tools = [
  ...[".npmrc", ".yarnrc", ".yarnrc.yml", ".bunfig.toml", ".config/pnpm", ".cargo/config"],
  ...[".cargo/config.toml", ".cargo/env", ".pip", ".config/pip", ".config/uv", ".condarc"],
  ...[".pydistutils.cfg", ".pythonrc", ".local/lib", ".gemrc", ".irbrc", ".pryrc", ".bundle"],
  ...[".mavenrc", ".m2/settings.xml", ".m2/extensions.xml", ".gradle/init.gradle", ".sbt"],
  ...[".gradle/init.gradle.kts", ".gradle/init.d", ".gradle/gradle.properties", ".lein", ".ghci"],
  ...[".ocamlinit", ".julia/config", ".Rprofile", ".Renviron", ".gdbinit", ".config/gdb"],
  ...[".lldbinit", ".wgetrc", ".curlrc", ".ackrc", ".ripgreprc", ".psqlrc", ".sqliterc"],
  ...[".mongorc.js", ".mongoshrc.js", ".docker", ".kube", ".config/containers", ".config/nix"],
  ...[".terraformrc", ".ansible.cfg", ".asdfrc", ".tool-versions", ".config/mise", ".mise.toml"],
];

/** Programs, and code that Reeve keeps compiled. */
const programs = [
  ...["bin", ".local/bin", ".cargo/bin", "go/bin", ".bun/bin", ".deno/bin", ".dotnet/tools"],
  ...[".nvm", ".volta", ".pyenv", ".rbenv", ".nodenv", ".asdf", ".rvm", ".sdkman", ".krew"],
  ...[".npm-global", ".rustup", ".nix-profile", ".local/share/mise", ".local/share/fnm"],
  ...[".local/share/pnpm", ".local/share/pipx", ".cache/reeve", ".cache/pre-commit"],
];

/** Below a home directory. */
export const startPaths: readonly string[] = [
  ...new Set([...sessions, ...versionControl, ...editors, ...agents, ...tools, ...programs]),
];
