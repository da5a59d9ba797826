/** Hooks of pre-commit: the revisions of their repositories, and exact versions of the packages that hooks need besides. */
import { defineManager } from "../define.js";
import { composedOf, partVersioning, references } from "../parts.js";
import { patterns } from "../patterns/manager.js";
import { nameOfRepository } from "../source.js";
import { preCommitParse, preCommitWanted } from "./manifest.js";

export const preCommit = defineManager({
  id: "pre_commit",
  missing: "Repo must contain a .pre-commit-config.yaml.",
  versioning: partVersioning,
  filesToRead: preCommitWanted,
  parse: preCommitParse,
  normalize: (name) => nameOfRepository(name.trim()),
  ...composedOf([
    [/^rev$/, references],
    [/^additional_dependencies$/, patterns],
  ]),
});
