/** How this program is started again, for greetings: `reeve`, or `npx reeve` where npm runs it and no shell finds it. */
import { existsSync } from "node:fs";
import { delimiter, join } from "node:path";

export function programName(environment: NodeJS.ProcessEnv = process.env): string {
  const { npm_command, PATH = "" } = environment;
  if (npm_command === undefined) return "reeve";
  // npm puts its own directories in front.
  const directories = PATH.split(delimiter).filter((each) => !/\bnode_modules\b/.test(each));
  const isFound = directories.some((each) => each !== "" && existsSync(join(each, "reeve")));
  return isFound ? "reeve" : "npx reeve";
}
