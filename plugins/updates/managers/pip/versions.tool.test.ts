/** Order and meaning of versions, against Python's own library; how requirements follow. */
import test from "ava";
import { output } from "../../../../tests/support/child.js";
import { needs, program } from "../../../../tests/support/needs.js";
import type { Strategy } from "../contract.js";
import { pipRequirement } from "./versions/requirement.js";
import { pipVersioning } from "./versions/versions.js";

const withPackaging = needs(
  test,
  program("/usr/lib/python3/dist-packages/packaging", "python3-packaging"),
);

const VERSIONS = [
  ...[
    "0",
    "0.1",
    "0.9.9",
    "1.0.dev1",
    "1.0a1",
    "1.0a1.dev2",
    "1.0b2",
    "1.0rc1",
    "1.0",
    "1.0.0",
    "1.0.post1",
  ],
  ...[
    "1.0.post1.dev3",
    "1.0+local",
    "1.0+local.2",
    "1.0.1",
    "1.1",
    "1.2.3",
    "1.2.10",
    "1.10",
    "2.0.0rc2",
  ],
  ...[
    "2.0",
    "2.0.1",
    "2.1.0",
    "10.0",
    "2026.1",
    "1!0.5",
    "1!1.0",
    "v1.4",
    "1.4-1",
    "1.4.ALPHA2",
    "1.4c3",
  ],
];
const SPECIFIERS = [
  ...[
    "==1.0",
    "==1.0.*",
    "!=1.0",
    "!=1.0.*",
    ">=1.0",
    ">1.0",
    "<1.0",
    "<=1.0",
    "~=1.0",
    "~=1.0.1",
    "~=1.4.2",
  ],
  ...[
    ">=1.0,<2.0",
    ">=1.0,!=1.1,<2",
    "===1.0",
    "==1.0+local",
    ">1.0.post1",
    "<2.0.0rc2",
    ">=1!0",
    "==1!1.*",
  ],
  ...[">=1.0a1", "==1.0rc1", "<=2.0", "~=2.0", ">=2,<3", "<1.0.post1", ">=0"],
];

const python = (program: string, input: unknown): unknown =>
  JSON.parse(
    output("/usr/bin/python3", ["-c", program], {
      input: JSON.stringify(input),
      env: { PATH: "/usr/bin:/bin" },
    }),
  );

withPackaging("versions sort as in Python's packaging", (t) => {
  const program =
    "import json,sys\nfrom packaging.version import Version as V\nv=json.load(sys.stdin)\nprint(json.dumps([[(V(a)>V(b))-(V(a)<V(b)) for b in v] for a in v]))";
  const theirs = python(program, VERSIONS);
  const mine = VERSIONS.map((a) => VERSIONS.map((b) => Math.sign(pipVersioning.compare(a, b)) + 0));
  t.deepEqual(mine, theirs);
});

withPackaging("requirements mean the same as in Python's packaging", (t) => {
  const program =
    "import json,sys\nfrom packaging.specifiers import SpecifierSet as S\nv,s=json.load(sys.stdin)\nprint(json.dumps([[S(a).contains(b) for b in v] for a in s]))";
  const theirs = python(program, [VERSIONS, SPECIFIERS]) as boolean[][];
  const different = SPECIFIERS.flatMap((specifier, row) =>
    VERSIONS.filter(
      (version, column) => pipVersioning.satisfies(version, specifier) !== theirs[row]?.[column],
    ).map((version) => `${version} ${specifier}`),
  );
  t.deepEqual(different, []);
});

const poetry: ReadonlyArray<readonly [requirement: string, inside: string, outside: string]> = [
  ["^1.2.3", "1.9.0", "2.0.0"],
  ["^0.2.3", "0.2.9", "0.3.0"],
  ["^0.0.3", "0.0.3", "0.0.4"],
  ["^0", "0.9", "1.0"],
  ["~1.2.3", "1.2.9", "1.3.0"],
  ["~1.2", "1.2.9", "1.3.0"],
  ["~1", "1.9", "2.0"],
  ["1.2.*", "1.2.9", "1.3"],
  ["1.2.3", "1.2.3", "1.2.4"],
  ["^1.0 || ^3.0", "3.1", "2.1"],
  [">=1.0 <2.0", "1.5", "2.0"],
  ["*", "1.0", "1.0rc1"],
];
for (const [requirement, inside, outside] of poetry)
  test(`${requirement} allows ${inside} and not ${outside}, as for Poetry`, (t) => {
    t.true(pipVersioning.satisfies(inside, requirement));
    t.false(pipVersioning.satisfies(outside, requirement));
  });

test("the lowest version that a requirement allows", (t) => {
  t.deepEqual(
    ["===1.0", "== 1.2.*", "~=1.4", ">=1,!=1.5", "^2.1 || ^1.2", "<2", "*"].map(
      pipVersioning.floor,
    ),
    ["1.0", "1.2", "1.4", "1", "1.2", undefined, undefined],
  );
});

const moves: ReadonlyArray<
  readonly [requirement: string, to: string, strategy: Strategy, next: string]
> = [
  ["==1.2.3", "1.3.0", "bump_versions", "==1.3.0"],
  ["== 1.2", "1.3.0", "bump_versions", "== 1.3.0"],
  ["==1.2.*", "1.3.5", "bump_versions", "==1.3.*"],
  ["===1.0", "1.1", "bump_versions", "===1.1"],
  ["~=1.4.2", "1.6.1", "bump_versions", "~=1.6.1"],
  ["~=1.4", "2.0.1", "bump_versions", "~=2.0"],
  [">=1.0", "2.0", "bump_versions", ">=1.0"],
  [">=1.0,<2.0", "2.3.1", "bump_versions", ">=1.0,<3.0"],
  [">=1.0, <1.5", "1.6.2", "bump_versions", ">=1.0, <1.7"],
  [">=1.0,<2.0", "1.9", "bump_versions", ">=1.0,<2.0"],
  [">=1.0,!=1.5,<=2.0", "2.1.3", "bump_versions", ">=1.0,!=1.5,<=2.1.3"],
  ["^1.2", "2.1.0", "bump_versions", "^2.1"],
  ["^1.2.0", "1.3.1", "bump_versions", "^1.3.1"],
  ["^1.2.0", "1.3.1", "bump_versions_if_necessary", "^1.2.0"],
  ["~1.2", "1.3.1", "bump_versions", "~1.3"],
  ["1.2.3", "1.3.0", "bump_versions", "1.3.0"],
  ["*", "2.0", "bump_versions", "*"],
  ["", "2.0", "bump_versions", ""],
  ["^1.0 || ^2.0", "3.1.0", "bump_versions", "^3.1"],
  ["==1.0", "2.0", "lockfile_only", "==1.0"],
  ["~=1.4", "2.1", "widen_ranges", ">=1.4,<3"],
  ["^1.4", "2.1", "widen_ranges", ">=1.4,<3"],
  ["==1.4", "2.1", "widen_ranges", "==2.1"],
  [">=1.4,<2", "2.1", "widen_ranges", ">=1.4,<3"],
  [">=1.4,<2", "1.9", "widen_ranges", ">=1.4,<2"],
  ["==1.0", "2.0rc1", "bump_versions", "==2.0rc1"],
];
for (const [before, to, strategy, next] of moves)
  test(`${before || "nothing"} becomes ${next || "nothing"} for ${to} (${strategy})`, (t) => {
    t.is(pipRequirement(before, to, strategy), next);
    if (strategy !== "lockfile_only") t.true(pipVersioning.satisfies(to, next));
  });
