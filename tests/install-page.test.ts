/** docs/install.md: the commands that `npm run try:install` follows are there, for the artifacts of this version. */
import { readFileSync } from "node:fs";
import test from "ava";

const page = readFileSync("docs/install.md", "utf8");
const { version } = JSON.parse(readFileSync("package.json", "utf8")) as {
  readonly version: string;
};

for (const [title, artifact] of [
  ["The npm package", `./reeve-${version}.tgz`],
  ["The Debian package", `./reeve_${version}_amd64.deb`],
  ["The single executable", `reeve-${version}-linux-x64`],
  ["The container image", `reeve-${version}-linux-x64.oci.tar`],
] as const) {
  test(`"${title}" leads from the artifact of this version to the answer of a hook`, (t) => {
    const section = page.split(/^## /m).find((each) => each.startsWith(`${title}\n`)) ?? "";
    const block = /^```sh\n(.*?)^```$/ms.exec(section)?.[1] ?? "";
    const words = block.split(/\s+/);
    t.true(words.includes(artifact), block);
    t.regex(block, /^curl 'http:\/\/127\.0\.0\.1:9000\/hooks\/hello\?name=Ada'$/m);
    t.deepEqual(
      words.filter((word) => /^[./]*reeve[-_:]\d/.test(word) && !word.includes(version)),
      [],
    );
  });
}
