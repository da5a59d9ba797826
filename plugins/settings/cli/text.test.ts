/** Settings as people read them. */
import test from "ava";
import { Channel } from "../../../cli/plugin-api/output.js";
import type { SettingsSnapshot } from "../offline.js";
import { showSettings } from "./text.js";

type File = SettingsSnapshot["files"][number];

function shown(files: readonly File[]): string {
  let text = "";
  const write = (more: string): void => {
    text += more;
  };
  const snapshot = { name: "zls", title: "ZLS", section: "zls", version: 1, changedAt: 0 };
  showSettings(new Channel({ write }, {}), { ...snapshot, suppressed: 0, settings: [], files }, []);
  return text;
}

const good = (index: number): File => ({
  path: `/s/${String(index).padStart(3, "0")}.json`,
  origin: "file",
  state: "good",
  findings: [],
});

test("of many good files some are shown, and all that are not good", (t) => {
  const files = Array.from({ length: 100 }, (_, index) => good(index));
  const message = "the file is a directory";
  const finding = { severity: "error", code: "unreadable", message } as const;
  files[50] = { ...good(50), state: "last_good", findings: [finding] };
  const lines = shown(files).split("\n");
  t.is(lines.length, 1 + 20 + 1 + 1 + 2);
  t.true(lines.includes("  /s/050.json  last good (the file is a directory)"));
  t.true(lines.includes("  79 more files  good"));
});
