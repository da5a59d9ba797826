/** What blocks can hold. */
import { blockReference } from "../../../daemon/config/schema/reference.js";
import { isThere, loadConfiguration, pluginCatalog, rootFile } from "../../project/load.js";

/** What blocks of each kind can hold, as Markdown, by the name of the kind. */
export async function referencesOf(
  file: string | undefined,
): Promise<ReadonlyMap<string, () => string>> {
  const root = file === undefined && !isThere() ? undefined : rootFile(file);
  const program = root === undefined ? undefined : (await loadConfiguration(root)).program;
  const { plugins } = await (await pluginCatalog()).bind(
    program?.declarations ?? [],
    root ?? process.cwd(),
  );
  return new Map(
    plugins.flatMap(({ namespace, description }) =>
      Object.entries(description.blocks).map(([bare, descriptor]) => {
        const name = namespace === undefined ? bare : `${namespace}.${bare}`;
        return [name, () => blockReference(name, descriptor)] as const;
      }),
    ),
  );
}
