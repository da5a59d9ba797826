/** The configuration a command is about: found, loaded with the plugins there are, named as its user would. */
import { existsSync, type Stats, statSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import type { Catalog } from "../../daemon/catalog/catalog.js";
import type { LoadOptions } from "../../daemon/config/load.js";
import type { Loaded } from "../../daemon/config/program.js";
import type { Argument } from "../plugin-api/command.js";
import { Exit, Failure } from "../plugin-api/exit.js";
import { renamed } from "../print/rename.js";
import { onExit } from "../program/cleanup.js";
import { reasonOf, shownPath } from "./files.js";

/** The argument of every command that is about one configuration. */
export const fileArgument: Argument = {
  name: "FILE",
  summary: "the root file, or the directory of a main.reeve (default: ./main.reeve)",
};

/**
 * The absolute path of the root file that is meant: `main.reeve` of a directory, by default of the working directory.
 * @throws Failure when there is nothing.
 */
export function rootFile(named = "."): string {
  const path = resolve(named);
  const root = statOf(path)?.isDirectory() ? join(path, "main.reeve") : path;
  if (statOf(root)) return root;
  throw new Failure(Exit.noInput, `there is no \`${shownPath(root)}\``, {
    help:
      named === "."
        ? "Name another file, or write a first one with `reeve init`."
        : "Name the root file of a configuration, or its directory.",
  });
}

/** `undefined` where nothing is. */
function statOf(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch (thrown) {
    const why = reasonOf(thrown);
    throw new Failure(Exit.noInput, `\`${shownPath(path)}\` cannot be read: ${why}`, {
      cause: thrown,
    });
  }
}

/** Loads the configuration at an absolute path. Files are named as they are found from the working directory. */
export async function loadConfiguration(
  root: string,
  options: Omit<LoadOptions, "catalog"> = {},
): Promise<Loaded> {
  // Imported when it is used: help and usage errors need none of it.
  const { load } = await import("../../daemon/config/load.js");
  const loaded = await load(root, { catalog: await pluginCatalog(), ...options });
  return renamed(loaded, nameFrom(root));
}

/** How files that a configuration names are named from the working directory. */
export const nameFrom =
  (root: string) =>
  (file: string): string =>
    shownPath(resolve(dirname(root), file));

/** Whether the working directory has a configuration. */
export const isThere = (): boolean => existsSync("main.reeve");

let catalog: Promise<Catalog> | undefined;

/** The plugins that configurations may use; loaded once, however many configurations a command reads. */
export function pluginCatalog(): Promise<Catalog> {
  catalog ??= openCatalog();
  return catalog;
}

async function openCatalog(): Promise<Catalog> {
  const { createCatalog } = await import("../../daemon/catalog/catalog.js");
  const opened = createCatalog();
  onExit(opened.close.bind(opened));
  return opened;
}
