/** Constraints beside the libraries that Terraform reads them with: one for modules, one for providers. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import ava from "ava";
import { output } from "../../../../tests/support/child.js";
import { needs, program } from "../../../../tests/support/needs.js";
import { readConstraints, terraformVersioning } from "./versions.js";

const test = needs(ava, program("go"));

const PROGRAM = `package main

import (
	"encoding/json"
	"os"
	"sort"

	"github.com/apparentlymart/go-versions/versions"
	"github.com/apparentlymart/go-versions/versions/constraints"
	version "github.com/hashicorp/go-version"
)

type answer struct {
	Constraint        string
	Module, Provider  []string
	IsModule, IsProvider bool
}

func main() {
	var given struct{ Versions, Constraints []string }
	if err := json.NewDecoder(os.Stdin).Decode(&given); err != nil {
		panic(err)
	}
	answers := []answer{}
	for _, text := range given.Constraints {
		said := answer{text, []string{}, []string{}, true, true}
		module, err := version.NewConstraint(text)
		said.IsModule = err == nil
		provider, err := constraints.ParseRubyStyleMulti(text)
		said.IsProvider = err == nil
		for _, each := range given.Versions {
			if said.IsModule && module.Check(version.Must(version.NewVersion(each))) {
				said.Module = append(said.Module, each)
			}
			if said.IsProvider && versions.MeetingConstraints(provider).Has(versions.MustParseVersion(each)) {
				said.Provider = append(said.Provider, each)
			}
		}
		answers = append(answers, said)
	}
	sorted := make(version.Collection, len(given.Versions))
	for place, each := range given.Versions {
		sorted[place] = version.Must(version.NewVersion(each))
	}
	sort.Sort(sorted)
	order := []string{}
	for _, each := range sorted {
		order = append(order, each.String())
	}
	json.NewEncoder(os.Stdout).Encode(map[string]any{"answers": answers, "order": order})
}
`;

interface Theirs {
  readonly order: readonly string[];
  readonly answers: readonly {
    readonly Constraint: string;
    readonly Module: readonly string[];
    readonly Provider: readonly string[];
    readonly IsModule: boolean;
    readonly IsProvider: boolean;
  }[];
}

/** Debian keeps libraries of Go where programs of the time before modules find them. */
function askGo(given: Readonly<Record<string, readonly string[]>>): Theirs {
  const directory = mkdtempSync(join(tmpdir(), "reeve-terraform-"));
  try {
    writeFileSync(join(directory, "main.go"), PROGRAM);
    const text = output("go", ["run", "main.go"], {
      cwd: directory,
      input: JSON.stringify(given),
      env: {
        ...{ PATH: process.env.PATH, HOME: directory, GOPATH: "/usr/share/gocode" },
        ...{ GOCACHE: join(directory, "cache"), GO111MODULE: "off", GOFLAGS: "", CGO_ENABLED: "0" },
      },
    });
    return JSON.parse(text) as Theirs;
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const versions =
  "0.0.1 0.1.0 0.9.9 1.0.0-alpha 1.0.0-alpha.1 1.0.0-beta 1.0.0-beta.2 1.0.0-beta.11 1.0.0-rc1 1.0.0 1.0.1 1.1.0 1.2.0 1.2.3-beta1 1.2.3 1.2.10 1.10.0 2.0.0-beta1 2.0.0 2.1.0 3.0.0 10.0.0".split(
    " ",
  );
const signs = ["", "= ", "!= ", "> ", ">= ", "< ", "<= ", "~> ", "~>", ">="];
const numbers = ["1", "2", "0.1", "1.2", "1.10", "1.2.3", "0.0.1", "2.0.0-beta1", "1.0.0-rc1"];
const odd = [
  ...[
    "",
    ">= 1.0, < 2.0",
    ">= 1.0,!= 1.2.3",
    "~> 1.2, != 1.2.3, < 1.10",
    "> 1, <= 2.0.0",
    "01.2.3",
  ],
  ...["1.*", "1.x", "*", "=> 1", ">= 1.0 < 2.0", "latest", "^1.0"],
];
const constraints = [...signs.flatMap((sign) => numbers.map((each) => sign + each)), ...odd];

test("the order of versions, what a constraint is, and what it allows", (t) => {
  t.timeout(90_000);
  const { order, answers } = askGo({ versions, constraints });
  t.deepEqual(versions.toReversed().toSorted(terraformVersioning.compare), order as string[]);
  for (const { Constraint: text, Module, Provider, IsModule, IsProvider } of answers) {
    t.is(readConstraints(text) !== undefined, IsModule || IsProvider, text);
    // Terraform takes a prerelease only where it is named alone, which neither library decides.
    const finished = (version: string): boolean =>
      !version.includes("-") || text.replace(/^= ?/, "") === version;
    const mine = versions.filter((version) => terraformVersioning.satisfies(version, text));
    t.deepEqual(
      mine.filter((version) => !finished(version)),
      [],
      text,
    );
    if (IsProvider) t.deepEqual(mine, Provider.filter(finished), `${text} of a provider`);
    // A line of one number, or of a prerelease, is read as providers read it: that is what people mean.
    if (IsModule && !/^~> ?(\d+$|.*-)/.test(text))
      t.deepEqual(mine, Module.filter(finished), `${text} of a module`);
  }
});
