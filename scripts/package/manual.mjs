// Man pages: `reeve` from the data of its commands, the other programs from their help. Source: man-pages(7).
import { execFileSync } from "node:child_process";

/** `[name, roff]` of each page. `programs`: command to the name of its program. */
export async function manualPages(programs, version, seconds) {
  const day = new Date(seconds * 1000).toISOString().slice(0, 10);
  const pages = await Promise.all(
    Object.entries(programs).map(async ([command, name]) => {
      const body = command === "reeve" ? await ofReeve() : ofHelp(command, name);
      const head = `.TH ${name.toUpperCase()} 1 ${day} "reeve ${version}" "User Commands"`;
      return [name, `${[head, ...body].join("\n")}\n`];
    }),
  );
  return pages;
}

async function ofReeve() {
  const [{ commands }, { describeAll }, { optionsOf }, { exitMeanings }] = await Promise.all(
    [
      ...["cli/commands/index.js", "cli/program/describe.js"],
      ...["cli/commands/completion/words.js", "cli/plugin-api/exit.js"],
    ].map((module) => import(`../../dist/${module}`)),
  );
  const described = (await describeAll(commands)).filter(({ command }) => command !== undefined);
  return [
    ...section("NAME", ["reeve \\- tends a host"]),
    ...section("SYNOPSIS", [".B reeve", ".I COMMAND", "[options] [arguments]"]),
    ...section(
      "COMMANDS",
      described.flatMap((each) => ofCommand(each, optionsOf)),
    ),
    ...section(
      "EXIT STATUS",
      Object.entries(exitMeanings).flatMap(([code, meaning]) => [
        ".TP",
        `.B ${code}`,
        text(meaning),
      ]),
    ),
    ...section("FILES", [
      ...[".TP", ".I /etc/reeve/main.reeve", "The configuration of the service."],
      ...[".TP", ".I /var/lib/reeve", "Its state."],
      ...[".TP", ".I /run/reeve/control.sock", "Its control socket."],
    ]),
  ];
}

function ofCommand(described, optionsOf) {
  const { path, summary, command } = described;
  const usage = (command.arguments ?? []).map(({ name, required, variadic }) => {
    const shown = `${name}${variadic ? "..." : ""}`;
    return required ? shown : `[${shown}]`;
  });
  const options = optionsOf(described).filter(({ long }) => long !== "--help");
  return [
    `.SS ${text(["reeve", ...path, ...usage].join(" "))}`,
    text(`${summary}.`.replace(/^./, (letter) => letter.toUpperCase())),
    ...(command.description === undefined ? [] : [".PP", text(command.description)]),
    ...options.flatMap(({ long, short, summary: about, value }) => {
      const names = [long, ...(short === undefined ? [] : [short])].map(
        (name) => `\\fB${text(name)}\\fR`,
      );
      return [
        ".TP",
        `${names.join(", ")}${value ? ` \\fI${text(value.name)}\\fR` : ""}`,
        text(about),
      ];
    }),
  ];
}

function ofHelp(command, name) {
  const { stdout } = help(command);
  const summary =
    command === "awf"
      ? "runs a command that can reach only the listed domains"
      : "runs commands on HTTP requests";
  return [
    ...section("NAME", [`${text(name)} \\- ${summary}`]),
    ...section("DESCRIPTION", [".nf", ...stdout.trimEnd().split("\n").map(text), ".fi"]),
  ];
}

function help(command) {
  const argv = ["-c", `exec "$0" "$1" --help 2>&1`, process.execPath, `dist/bundle/${command}.js`];
  return { stdout: execFileSync("sh", argv, { encoding: "utf8" }) };
}

const section = (title, lines) => [`.SH ${title}`, ...lines];

/** Text as roff reads it: no line starts a request. */
function text(line) {
  const plain = line.replaceAll("\\", "\\e").replaceAll("-", "\\-").replaceAll("`", "");
  return /^[.']/.test(plain) ? `\\&${plain}` : plain;
}
