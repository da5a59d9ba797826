/** Settings as people read them. */
import { type Channel, countText, oneLine, shownPath, table } from "reeve/cli";
import type { SettingsSnapshot, VersionView } from "../offline.js";

type Setting = SettingsSnapshot["settings"][number];

/** As JSON has it, on one line. */
export const valueText = (value: unknown): string =>
  value === undefined ? "(nothing)" : oneLine(JSON.stringify(value));

/** `workspace /p/zls.json`. */
export const originText = ({
  origin,
  path,
}: {
  readonly origin: string;
  readonly path?: string;
}): string => (path === undefined ? origin : `${origin} ${oneLine(shownPath(path))}`);

export function showSettings(
  out: Channel,
  snapshot: SettingsSnapshot,
  rows: readonly Setting[],
): void {
  out.line(out.paint("bold", `settings "${snapshot.name}"`));
  showFiles(out, snapshot.files);
  if (rows.length === 0) {
    out.line("  Nothing differs from the defaults.");
    return;
  }
  const lines = table<Setting>(
    [
      { title: "KEY", cell: ({ key }) => key },
      { title: "VALUE", cell: ({ value }) => valueText(value), shrink: 20 },
      { title: "FROM", cell: originText, priority: 1, shrink: 16 },
    ],
    rows,
    { width: out.isTerminal ? out.columns - 2 : undefined },
  );
  for (const line of lines) out.line(`  ${line}`);
}

/** Good files beyond these are only counted; what is wrong is always shown. */
const GOOD = 20;

function showFiles(out: Channel, files: SettingsSnapshot["files"]): void {
  const good = files.filter(({ state }) => state === "good");
  const hidden = new Set(good.length > GOOD ? good.slice(GOOD) : []);
  for (const file of files) {
    if (hidden.has(file)) continue;
    const { state, findings, path } = file;
    const [first] = state === "good" ? [] : findings;
    const position = first?.line === undefined ? "" : `${first.line}:${first.column} `;
    const detail = first ? ` (${position}${oneLine(first.message)})` : "";
    const word = state.replace("_", " ");
    out.line(`  ${shownPath(path)}  ${out.paint(state === "good" ? "ok" : "warn", word)}${detail}`);
  }
  if (hidden.size > 0) out.line(`  ${countText(hidden.size, "more file")}  good`);
}

/** One line a change: `warn_style: false -> true (file)`. */
export const changeLines = (changed: VersionView["changed"]): readonly string[] =>
  changed.map(({ key, origin, live, ...values }) => {
    const restart = live === "restart" ? ", restart advised" : "";
    return `${key}: ${valueText(values.old)} -> ${valueText(values.new)} (${origin}${restart})`;
  });
