/** A requirements file, and an index that has 40 versions of everything. */
import { names, type Specimen, VERSIONS } from "../specimen.js";

export const pip: Specimen = {
  manager: "pip",
  files: (count) => ({
    "requirements.txt": names(count)
      .map((name) => `${name}==1.0.0 ; python_version >= "3.8"\n`)
      .join(""),
  }),
  answer: (url) => {
    const name = url.split("/").at(-2) ?? "";
    const files = VERSIONS.map((version) => {
      const filename = `${name.replaceAll("-", "_")}-${version}-py3-none-any.whl`;
      return { filename, url: `https://files.example.test/${filename}`, hashes: {}, yanked: false };
    });
    return JSON.stringify({ name, files });
  },
};
