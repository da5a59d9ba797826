/** `reeve source`: the git repository that the configuration comes from, and what a user does about it. */
import { parseDuration } from "../../../daemon/config/values/quantity.js";
import type { SourceRequest, SourceStatus } from "../../../daemon/http/control/api.js";
import { controlExits, controlOptions } from "../../control/option.js";
import { type Command, defineCommand } from "../../plugin-api/command.js";
import { Exit, Failure } from "../../plugin-api/exit.js";
import type { Output } from "../../plugin-api/output.js";
import { writePairs } from "../../print/layout.js";
import { oneLine } from "../../print/text.js";
import { when } from "../../print/units.js";

const options = controlOptions;
const JSON_HELP = "With --json: the `SourceStatus` of the control API.";
const exits = {
  [Exit.findings]: "the daemon follows no repository, or its newest commit is refused",
  ...controlExits,
};

export const status = defineCommand({
  description: `The commit that runs, the last contact and what is wrong. ${JSON_HELP}`,
  options,
  examples: [{ command: "reeve source status", does: "shows the repository and its commit" }],
  exits,
  run: async ({ options, output, control }) => show(await control.source(), options.json, output),
});

export const poll = action({ action: "poll" }, "asks the repository now", [
  "Asks the repository for its newest commit, and applies it.",
]);

export const retry = action({ action: "retry" }, "judges the refused commit again", [
  "Tries a refused commit once more: after signers, secrets or this host have changed.",
]);

export const resume = action({ action: "resume" }, "ends a pause", [
  "Ends a pause: files that were changed by hand are put back, and the newest commit is applied.",
]);

export const pause = defineCommand({
  description: `Until the time is over nothing is polled, and changes by hand stay; the daemon is degraded meanwhile. ${JSON_HELP}`,
  arguments: [
    { name: "DURATION", summary: "such as `30m` or `2h`, up to 30 days", required: true },
  ],
  options,
  examples: [{ command: "reeve source pause 1h", does: "leaves an hour for changes by hand" }],
  exits,
  async run({ arguments: [written = ""], options, output, control }) {
    const duration = parseDuration(written);
    if (duration === undefined || duration < 1000 || duration > 30 * 24 * 3_600_000) {
      throw new Failure(Exit.usage, `\`${oneLine(written)}\` is no duration of 1s to 30d`, {
        help: "Write for example `30m` or `2h`.",
      });
    }
    return show(await control.actOnSource({ action: "pause", duration }), options.json, output);
  },
});

export const accept = defineCommand({
  description: `A branch that was rewritten is not followed until a user accepts its newest commit. The signature is verified all the same. ${JSON_HELP}`,
  arguments: [
    { name: "COMMIT", summary: "the newest commit, its first 12 digits at least", required: true },
  ],
  options,
  examples: [
    { command: "reeve source accept 0f3c2b1a9d8e", does: "applies this commit of a new history" },
  ],
  exits,
  async run({ arguments: [commit = ""], options, output, control }) {
    if (!/^[0-9a-f]{12,64}$/.test(commit)) {
      throw new Failure(Exit.usage, `\`${oneLine(commit)}\` is no commit`, {
        help: "Write 12 to 64 hexadecimal digits in lower case; `reeve source status` shows the refused commit.",
      });
    }
    return show(await control.actOnSource({ action: "accept", commit }), options.json, output);
  },
});

function action(request: SourceRequest, does: string, [description]: readonly [string]): Command {
  return defineCommand({
    description: `${description} ${JSON_HELP}`,
    options,
    examples: [{ command: `reeve source ${request.action}`, does }],
    exits,
    run: async ({ options, output, control }) =>
      show(await control.actOnSource(request), options.json, output),
  });
}

function show(source: SourceStatus, asJson: boolean, output: Output) {
  if (asJson) output.json(source);
  else writePairs(output.out, pairsOf(source, Date.now()));
  return source.refused ? Exit.findings : Exit.ok;
}

function pairsOf(source: SourceStatus, now: number) {
  const { url, branch, path, commit, appliedAt, contactAt, failure, refused, pausedUntil } = source;
  const since = appliedAt === undefined ? "" : `, ${when(appliedAt, now)}`;
  return [
    ["repository", oneLine(`${url}#${branch}`)],
    ["directory", path === "" ? undefined : oneLine(path)],
    ["commit", commit === undefined ? "none is on disk" : `${commit.slice(0, 12)}${since}`],
    ["last contact", contactAt === undefined ? "none since the start" : when(contactAt, now)],
    ["failure", failure && oneLine(`${failure.reason} (${failure.code}, ${failure.polls} polls)`)],
    [
      "refused",
      refused && `${refused.commit.slice(0, 12)} (${refused.code}): ${oneLine(refused.reason)}`,
    ],
    ["paused until", pausedUntil === undefined ? undefined : when(pausedUntil, now)],
  ] as const;
}
