/** Minimal Elm packages that Elm compiles, and an `elm/core` that it accepts. */
import { createHash } from "node:crypto";
import { strToU8, type Zippable, zipSync } from "fflate";

/** Modules by name. */
type Modules = Readonly<Record<string, string>>;

/** Elm rejects a package without documentation comments. */
function modul(name: string, exposed: readonly string[], body: readonly string[], before = "") {
  const names = exposed.map((each) => each.replace("(..)", ""));
  const parts = body.map((part) => `{-| Documented. -}\n${part}\n`).join("\n");
  return `module ${name} exposing (${exposed.join(", ")})\n\n{-| Documented.\n\n@docs ${names.join(", ")}\n-}\n\n${before}${parts}`;
}

/** Imported by every module implicitly. */
const CORE: Modules = {
  Basics: modul(
    "Basics",
    ["Int", "Float", "Bool(..)", "Order(..)", "Never"],
    [
      "type Int = Int",
      "type Float = Float",
      "type Bool = True | False",
      "type Order = LT | EQ | GT",
      "type Never = Never Never",
    ],
  ),
  List: modul(
    "List",
    ["List", "(::)", "cons"],
    ["type List a = Nil | Cons a", "cons : a -> List a -> List a\ncons _ list = list"],
    "infix right 5 (::) = cons\n\n",
  ),
  Maybe: modul("Maybe", ["Maybe(..)"], ["type Maybe a = Just a | Nothing"]),
  Result: modul("Result", ["Result(..)"], ["type Result error value = Ok value | Err error"]),
  String: modul("String", ["String"], ["type String = String"]),
  Char: modul("Char", ["Char"], ["type Char = Char"]),
  Tuple: modul("Tuple", ["first"], ["first : (a, b) -> a\nfirst (a, _) = a"]),
  Debug: modul("Debug", ["same"], ["same : a -> a\nsame a = a"]),
  Platform: modul("Platform", ["Program"], ["type Program flags model msg = Program"]),
  "Platform.Cmd": modul("Platform.Cmd", ["Cmd"], ["type Cmd msg = Cmd"]),
  "Platform.Sub": modul("Platform.Sub", ["Sub"], ["type Sub msg = Sub"]),
};

function modulesOf(name: string): Modules {
  if (name === "elm/core") return CORE;
  const own = `P${name.replace(/[^a-z0-9]/g, "_")}`;
  return { [own]: modul(own, ["Thing"], ["type Thing = Thing"]) };
}

interface About {
  readonly name: string;
  readonly version: string;
  readonly dependencies: Readonly<Record<string, string>>;
  readonly "elm-version": string;
}

export const elmManifest = (about: About): string =>
  JSON.stringify({
    type: "package",
    summary: "A thing",
    license: "BSD-3-Clause",
    "exposed-modules": Object.keys(modulesOf(about.name)),
    "test-dependencies": {},
    ...about,
  });

/** The archive as the source code host creates it, with everything in one directory, and its checksum. */
export function elmArchive(about: About): { readonly zip: Uint8Array; readonly hash: string } {
  const root = `${about.name.split("/")[1]}-${about.version}/`;
  const files: Zippable = {
    [root]: strToU8(""),
    [`${root}elm.json`]: strToU8(elmManifest(about)),
    [`${root}LICENSE`]: strToU8("Free."),
    [`${root}README.md`]: strToU8("A thing."),
    [`${root}src/`]: strToU8(""),
    [`${root}src/Platform/`]: strToU8(""),
  };
  for (const [name, text] of Object.entries(modulesOf(about.name)))
    files[`${root}src/${name.replaceAll(".", "/")}.elm`] = strToU8(text);
  const zip = zipSync(files, { mtime: new Date("2026-01-01T00:00:00Z") });
  return { zip, hash: createHash("sha1").update(zip).digest("hex") };
}
