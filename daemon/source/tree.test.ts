/** What a commit may not contain. */
import test from "ava";
import { SourceRefusal } from "./contract.js";
import { checkLink, limits, parseTree, refusePointer } from "./tree.js";

const OID = "0".repeat(40);
const entry = (path: string, mode = "100644", size = 1): string =>
  `${mode} ${mode === "160000" ? "commit" : "blob"} ${OID} ${mode === "160000" ? "-" : size}\t${path}\0`;
const listing = (...entries: readonly string[]): Buffer => Buffer.from(entries.join(""), "latin1");
const codeOf = (task: () => unknown): string => {
  try {
    task();
    return "";
  } catch (thrown) {
    return (thrown as SourceRefusal).code;
  }
};

for (const [what, bytes, code] of [
  [
    "files, programs and links",
    listing(entry("a"), entry("b/c", "100755"), entry("d", "120000")),
    "",
  ],
  ["nothing", listing(), ""],
  ["names of people", Buffer.from(entry("Größe/日本.reeve"), "utf8"), ""],
  ["a submodule", listing(entry("a", "160000")), "submodule"],
  ["an unknown mode", listing(entry("a", "100666")), "bad_name"],
  ["`.git`", listing(entry(".git/config")), "bad_name"],
  ["`.git` for a file system without case", listing(entry("a/.GIT/hooks/x")), "bad_name"],
  ["`.git` for Windows", listing(entry("git~1/x")), "bad_name"],
  ["`.git` with an invisible character", Buffer.from(entry(".g\u200cit/x"), "utf8"), "bad_name"],
  ["`..`", listing(entry("a/../../b")), "bad_name"],
  ["`.`", listing(entry("./a")), "bad_name"],
  ["an absolute path", listing(entry("/etc/passwd")), "bad_name"],
  ["a control character", listing(entry("a\u001b[31m")), "bad_name"],
  ["a name that is not UTF-8", listing(entry("\xff")), "bad_name"],
  ["names that differ in case", listing(entry("A/x"), entry("a/y")), "bad_name"],
  ["a file that is a directory, too", listing(entry("a"), entry("a/b")), "bad_name"],
  ["a file twice", listing(entry("a"), entry("a")), "bad_name"],
  ["a large file", listing(entry("a", "100644", limits.bytes + 1)), "too_large"],
  [
    "many files",
    listing(...Array.from({ length: limits.files + 1 }, (_, i) => entry(`f${i}`))),
    "too_large",
  ],
] as const) {
  test(`${what}: ${code || "accepted"}`, (t) => {
    t.is(
      codeOf(() => parseTree(bytes)),
      code,
    );
  });
}

for (const [path, target, code] of [
  ["a", "b", ""],
  ["a", "./b/c", ""],
  ["x/a", "../b", ""],
  ["x/y/a", "../../b", ""],
  ["a", "/etc/passwd", "outside"],
  ["a", "..", "outside"],
  ["x/a", "../../b", "outside"],
  ["x/a", "y/../../..", "outside"],
  ["x/a", "y/../z", "outside"],
] as const) {
  test(`a link from ${path} to ${target}: ${code || "accepted"}`, (t) => {
    t.is(
      codeOf(() => checkLink({ path, kind: "link", oid: OID, size: 1 }, target)),
      code,
    );
  });
}

test("a Git LFS pointer is not taken for its content", (t) => {
  const pointer = Buffer.from("version https://git-lfs.github.com/spec/v1\noid sha256:0\nsize 1\n");
  const file = { path: "a", kind: "file", oid: OID, size: pointer.length } as const;
  t.is(
    codeOf(() => refusePointer(file, pointer)),
    "lfs",
  );
  t.is(
    codeOf(() => refusePointer(file, Buffer.from("version 2"))),
    "",
  );
});
