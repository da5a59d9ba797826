/** The whole screen as lines: exactly as many, and exactly as wide, as the terminal has room for. Pure. */
import { stripVTControlCharacters } from "node:util";
import type { Screen, Screens, View } from "../../plugin-api/screen.js";
import { oneLine } from "../../print/text.js";
import { duration } from "../../print/units.js";
import type { Model } from "../model/model.js";
import { alertsOf } from "../screens/alerts.js";
import { screenOf, viewOf } from "../screens/all.js";
import { stateOf, type Ui } from "../ui/ui.js";
import { toAscii } from "./ascii.js";
import { bodyLines } from "./body.js";
import { footer } from "./footer.js";
import { ends, fit, widthOf } from "./lines.js";
import { overlay } from "./overlay.js";
import { stateText, type Theme } from "./theme.js";
import { zoned } from "./zones.js";

export interface TerminalSize {
  readonly width: number;
  readonly height: number;
}

const SMALLEST: TerminalSize = { width: 40, height: 8 };

/** What a frame is made of. */
export interface FrameContents {
  readonly model: Model;
  readonly ui: Ui;
  readonly theme: Theme;
  readonly screens: Screens;
}

export function frame(
  { model, ui, theme, screens }: FrameContents,
  size: TerminalSize,
): readonly string[] {
  const { width, height } = size;
  const lines =
    width < SMALLEST.width || height < SMALLEST.height
      ? tooSmall(size)
      : [
          ...head(model, ui, screens, theme, width),
          ...middle(model, ui, screens, theme, size),
          footer(ui, screenOf(screens, ui.screen), theme, width),
        ];
  const whole = Array.from({ length: height }, (_, index) => fit(lines[index] ?? "", width));
  return whole.map((line) => theme.fill(theme.unicode ? line : toAscii(line)));
}

/** What screens and keys have to work with. */
export function roomOf(
  model: Model,
  ui: Ui,
  { width, height }: TerminalSize,
): Pick<View, "width" | "height"> {
  return { width, height: Math.max(1, height - 3 - (bannerOf(model, ui) === undefined ? 0 : 1)) };
}

function tooSmall({ width, height }: TerminalSize): readonly string[] {
  return [
    `Too small: ${width}x${height}.`,
    `Needs ${SMALLEST.width}x${SMALLEST.height}.`,
    "q quits.",
  ];
}

function head(
  model: Model,
  ui: Ui,
  screens: Screens,
  theme: Theme,
  width: number,
): readonly string[] {
  const banner = bannerOf(model, ui);
  const lines = [titleLine(model, ui, theme, width), tabsLine(ui, screens, theme, width)];
  return banner === undefined
    ? lines
    : [...lines, theme.paint(["bold", "inverse"], fit(banner, width))];
}

function middle(
  model: Model,
  ui: Ui,
  screens: Screens,
  theme: Theme,
  size: TerminalSize,
): readonly string[] {
  const room = roomOf(model, ui, size);
  const screen = screenOf(screens, ui.screen);
  const view = viewOf({ model, theme, ...room }, screen, stateOf(ui));
  const over = overlay(ui, model, screens, theme, room);
  const lines = over ?? bodyLines(screen, view);
  const shown = Array.from({ length: room.height }, (_, index) => lines[index] ?? "");
  // What may not be true any more does not look as if it were.
  if (model.link.state === "live" || over) return shown;
  return shown.map((line) => theme.paint("dim", stripVTControlCharacters(line)));
}

function titleLine(model: Model, ui: Ui, theme: Theme, width: number): string {
  const { status, now } = model;
  if (status === undefined) return theme.paint("bold", "reeve");
  const { version, state, startedAt, generation, pid } = status;
  const left = `${theme.paint("bold", `reeve ${oneLine(version)}`)}  ${stateText(theme, state)}`;
  const marks = [ui.paused ? "PAUSED" : "", ui.readOnly ? "read-only" : ""].filter(
    (mark) => mark !== "",
  );
  const facts = [
    ...marks,
    ...(generation ? [`gen ${generation.number}`] : []),
    `up ${duration(Math.floor((now - startedAt) / 1000) * 1000)}`,
    `pid ${pid}`,
  ];
  const judged = `${left}  ${verdictText(model, theme)}`;
  // The last facts give way to the verdict.
  const room = width - widthOf(judged) - 2;
  while (facts.length > marks.length && widthOf(facts.join("  ")) > room) facts.pop();
  return ends(judged, facts.join("  "), width);
}

/** Whether all is well, on every screen. */
function verdictText(model: Model, { paint }: Theme): string {
  const severities = alertsOf(model).map(({ severity }) => severity);
  if (severities.length === 0) return paint("ok", "✓ all is well");
  const failing = severities.filter((severity) => severity === "error").length;
  const others = severities.length - failing;
  return [
    ...(failing > 0 ? [paint("fail", `✗ ${failing} failing`)] : []),
    ...(others > 0 ? [paint("warn", `▲ ${others} to look at`)] : []),
  ].join(" · ");
}

/** As many words as there is room for: all, short ones, or only the one that is open. */
function tabsLine(ui: Ui, screens: Screens, theme: Theme, width: number): string {
  const tabs = (text: (screen: Screen, number: number) => string, margin: string) =>
    screens.map((screen, index) => {
      const name = text(screen, index + 1);
      const tab =
        screen.id === ui.screen
          ? theme.paint(["bold", "selected"], `[${name}]`)
          : margin + name + margin;
      return zoned(theme, `screen:${screen.id}`, tab);
    });
  for (const name of ["title", "short"] as const) {
    const text = (screen: Screen, number: number) => `${number} ${screen[name]}`;
    for (const line of [tabs(text, " ").join(""), tabs(text, "").join(" ")]) {
      if (widthOf(line) <= width) return line;
    }
  }
  const onlyOpen = ({ id, short }: Screen, number: number) =>
    id === ui.screen ? `${number} ${short}` : String(number);
  return tabs(onlyOpen, " ").join("");
}

function bannerOf({ link, now }: Model, { paused }: Ui): string | undefined {
  if (link.state === "lost") {
    const ago = duration(now - link.since);
    // What matters first: a narrow terminal cuts the end off, and a reason can name a long path.
    return ` ✗ Lost the daemon; trying again. What is shown is ${ago} old. (${oneLine(link.reason)})`;
  }
  return paused ? " Paused: what is shown does not move on. Space goes on." : undefined;
}
