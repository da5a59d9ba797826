/** The language a package manager belongs to, as the API calls it. */
import { managers, type PackageManager } from "../../managers/index.js";

export const languageOf = (packageManager: string): string =>
  managers[packageManager as PackageManager].language;
