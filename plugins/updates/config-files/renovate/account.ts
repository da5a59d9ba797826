/** The block `account`: how pull requests are merged, and when. */
import type { Report } from "./entries.js";
import { attribute, quoted, type WrittenAttribute, type WrittenBlock } from "./language.js";
import { type FlatOptions, textsIn } from "./options.js";

type Options = FlatOptions["options"];

const DAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];

export function accountBlock(
  options: Options,
  account: string,
  report: Report,
): readonly WrittenBlock[] {
  const of = (name: string): unknown => options.get(name)?.value;
  const attributes: WrittenAttribute[] = [];
  if (of("automergeStrategy") === "merge-commit")
    attributes.push(attribute("create_merge_commits", "true"));
  if (of("automergeStrategy") === "squash")
    report({
      ...{ option: "automergeStrategy", path: options.get("automergeStrategy")?.path ?? [] },
      why: "commits are not squashed; an update is one commit",
    });
  if (of("ignoreTests") === true) attributes.push(attribute("automerge_checks", quoted("none-ok")));
  const limit = of("prConcurrentLimit") ?? of("branchConcurrentLimit");
  if (limit === 0) attributes.push(attribute("limit_open_pull_requests", "false"));
  const hours = textsIn(of("automergeSchedule"));
  const working = hours.map((each) => workingHours(each));
  if (working.includes(undefined))
    report({
      ...{ option: "automergeSchedule", path: options.get("automergeSchedule")?.path ?? [] },
      why: "only hours such as `after 9am and before 5pm every weekday` can be converted",
    });
  else if (working.flat().length > 0)
    attributes.push(
      attribute(
        "working_hours",
        `[${working
          .flat()
          .map((each) => quoted(each ?? ""))
          .join(", ")}]`,
      ),
    );
  return attributes.length === 0 ? [] : [{ kind: "account", label: account, attributes }];
}

/** None where every time is allowed; undefined for text in another form. */
function workingHours(written: string): readonly string[] | undefined {
  const text = written.trim().toLowerCase();
  if (text === "at any time") return [];
  const [, after, before, rest = ""] =
    /^(?:after (\S+?[ap]m)(?: and)? ?)?(?:before (\S+?[ap]m) ?)?(.*)$/.exec(text) ?? [];
  const [start, end] = [hourOf(after ?? "12am"), before === undefined ? "23:59" : hourOf(before)];
  const days = /^(on )?every weekday$/.test(rest)
    ? DAYS.slice(0, 5)
    : /^(on )?every weekend$/.test(rest)
      ? DAYS.slice(5)
      : rest === "" && (after ?? before) !== undefined
        ? DAYS
        : DAYS.filter((day) => rest.replace(/^(on|every) /, "") === day);
  if (start === undefined || end === undefined || days.length === 0 || start >= end)
    return undefined;
  return days.map((day) => `${day} ${start}-${end}`);
}

function hourOf(text: string): string | undefined {
  const [, hours, minutes = "00", half] = /^(\d{1,2})(?::([0-5]\d))?([ap]m)$/.exec(text) ?? [];
  if (hours === undefined || Number(hours) > 12) return undefined;
  const hour = (Number(hours) % 12) + (half === "pm" ? 12 : 0);
  return `${String(hour).padStart(2, "0")}:${minutes}`;
}
