/** Gradle 4.4.1 from Debian's package `gradle`: runs one build script, isolated from the settings of the machine. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { answer, identity, type Served } from "../../../tests/support/answers.js";
import { outputOf } from "../../../tests/support/child.js";

const PROGRAM = "/usr/bin/gradle";

type Texts = Readonly<Record<string, string>>;

/** The output of the task `show`, which may use this server. @throws Error with the output of Gradle where the build fails */
export const gradleTool = (files: Texts, server?: Served): Promise<string> =>
  answer(
    [identity(PROGRAM), identity("java"), files, server?.published],
    () => outputOfShow(files),
    server?.url,
  );

async function outputOfShow(files: Texts): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "reeve-gradle-"));
  try {
    const project = join(folder, "project");
    for (const [name, text] of Object.entries({ "settings.gradle": "", ...files })) {
      await mkdir(dirname(join(project, name)), { recursive: true });
      await writeFile(join(project, name), text);
    }
    return await outputOf(
      PROGRAM,
      [...["--no-daemon", "--quiet", "--gradle-user-home", join(folder, "kept"), "show"]],
      {
        cwd: project,
        env: { PATH: "/usr/bin:/bin", HOME: folder, LANG: "C.UTF-8" },
      },
    );
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
