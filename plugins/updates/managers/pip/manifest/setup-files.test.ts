/** What a setup.py says without being run. */
import test from "ava";
import { readSetupPy } from "./setup-files.js";

const scripts: Readonly<Record<string, readonly [script: string, found: readonly string[]]>> = {
  "a list": ["setup(install_requires=['one==1.0'])", ["one==1.0"]],
  "a name that stands for a list": [
    "MOST = [\n    'one==1.0',  # 'not==1'\n]\nsetup(install_requires=MOST)",
    ["one==1.0"],
  ],
  "a name with a type": ["TESTS: list = ['one~=1.0']\nsetup(tests_require=TESTS)", ["one~=1.0"]],
  "a name that is compared, too": [
    "A = ['one==1']\nif A == ['two==2']: pass\nsetup(install_requires=A)",
    ["one==1"],
  ],
  "a name that begins like another": [
    "AB = ['two==2']\nA = ['one==1']\nsetup(install_requires=A)",
    ["one==1"],
  ],
  "a name that is given two values": ["A = ['one==1']\nA = []\nsetup(install_requires=A)", []],
  "a name that is worked out": ["A = read('one.txt')\nsetup(install_requires=A)", []],
  "a name of elsewhere": ["setup(install_requires=requires.all)", []],
};
for (const [what, [script, found]] of Object.entries(scripts))
  test(what, (t) => {
    const { written } = readSetupPy(script);
    t.deepEqual(
      written.map(({ name, requirement }) => `${name}${requirement}`),
      found,
    );
    for (const { range, requirement } of written)
      t.is(script.slice(range.start, range.end), requirement);
  });
