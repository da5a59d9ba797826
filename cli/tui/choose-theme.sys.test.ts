import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { folder } from "../testing/reeve.js";
import { chooseThemes, type ThemeRequest } from "./choose-theme.js";
import type { Rgb } from "./view/colours.js";

const chosen = async (name: string, more: Partial<ThemeRequest> = {}) =>
  (
    await chooseThemes({
      ...{ name, environment: {}, terminal: { depth: 24, unicode: true } },
      ...more,
    })
  ).map((theme) => theme.name);

const answers: ReadonlyArray<readonly [Rgb | undefined, fgbg: string | undefined, string]> = [
  [[255, 255, 255], undefined, "day"],
  [[253, 246, 227], "15;0", "day"],
  [[0, 43, 54], "0;15", "night"],
  [undefined, "0;15", "day"],
  [undefined, "0;default;7", "day"],
  [undefined, "15;0", "night"],
  [undefined, "15;8", "night"],
  [undefined, undefined, "night"],
];
for (const [colour, fgbg, name] of answers) {
  test(`a background of ${colour} and COLORFGBG ${fgbg} lead to ${name}`, async (t) => {
    const request = { environment: { COLORFGBG: fgbg }, background: async () => colour };
    t.is((await chosen("auto", request))[0], name);
  });
}

test("the other themes follow, each once", async (t) => {
  t.deepEqual(await chosen("clear"), ["clear", "ember", "night", "day", "contrast"]);
  t.deepEqual(await chosen("mono"), ["mono"]);
});

test("a terminal with few colours is not asked", async (t) => {
  const background = () => Promise.reject(new Error("It was."));
  const terminal = { depth: 4, unicode: true } as const;
  t.is((await chosen("auto", { terminal, background }))[0], "night");
});

function themes(text: string, t: Parameters<typeof folder>[0]): ThemeRequest["environment"] {
  const home = folder(t);
  mkdirSync(join(home, "reeve", "themes"), { recursive: true });
  writeFileSync(join(home, "reeve", "themes", "own.json"), text);
  return { XDG_CONFIG_HOME: home };
}

test("a file of the user changes roles of its base", async (t) => {
  const environment = themes(
    `// Mine.\n{ base: "day", roles: { accent: "#112233", background: "FFFFFF" } }`,
    t,
  );
  const [own, ...others] = await chooseThemes({
    ...{ name: "own", environment, terminal: { depth: 24, unicode: true } },
  });
  t.is(own.name, "own");
  t.is(own.paint("accent", "x"), "\u001b[38;2;17;34;51mx\u001b[39m");
  t.true(own.fill("x").startsWith("\u001b[48;2;255;255;255m"));
  t.is(own.paint("fail", "x"), "\u001b[38;2;179;38;30mx\u001b[39m");
  t.is(others.length, 5);
});

const faults: Readonly<Record<string, RegExp>> = {
  "{": /is not JSON5/,
  "3": /is not an object/,
  "{ bse: 1 }": /has `bse`, which means nothing/,
  '{ base: "dusk" }': /has the base `dusk`, which does not exist/,
  "{ roles: 1 }": /`roles` that are no object/,
  '{ roles: { red: "112233" } }': /has no role `red`/,
  '{ roles: { fail: "red" } }': /no color of six hexadecimal digits for `fail`/,
};
for (const [text, message] of Object.entries(faults)) {
  test(`a theme file with ${text} is refused with a sentence`, async (t) => {
    const thrown = await t.throwsAsync(chosen("own", { environment: themes(text, t) }));
    t.regex(thrown?.message ?? "", message);
  });
}

for (const name of ["none", "../own", ""]) {
  test(`there is no theme called "${name}"`, async (t) => {
    const environment = { XDG_CONFIG_HOME: folder(t) };
    const thrown = await t.throwsAsync(chosen(name, { environment }));
    t.regex(thrown?.message ?? "", /theme/);
  });
}
