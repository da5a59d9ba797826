/** The language a package manager belongs to, as the API calls it. */
import { managerNames, type PackageManager } from "../engine.js";

export const languageOf = (packageManager: string): string =>
  managerNames[packageManager as PackageManager].language;
