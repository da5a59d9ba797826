/** Options of Renovate with their presets applied, in the order in which they count. */
import { managerNamed } from "./names.js";
import { presetOf } from "./presets.js";
import { isObject, type RenovateObject } from "./read.js";

export type OptionPath = readonly (string | number)[];

/** What has no equivalent, or another meaning. */
export interface Finding {
  readonly option: string;
  readonly path: OptionPath;
  /** One clause, without a full stop. */
  readonly why: string;
}

interface RenovateOption {
  readonly value: unknown;
  readonly path: OptionPath;
}

export interface PackageRule {
  readonly rule: RenovateObject;
  readonly path: OptionPath;
}

export interface FlatOptions {
  readonly options: ReadonlyMap<string, RenovateOption>;
  /** Later rules win. */
  readonly rules: readonly PackageRule[];
}

export const textsIn = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).filter((each) => typeof each === "string");

const UPDATE_TYPES = ["major", "minor", "patch", "pin", "digest", "pinDigest", "rollback"];

/** Lists that add to those of presets. */
const ADDED = ["addLabels", "ignoreDeps", "hostRules", "customManagers", "regexManagers"];

/** Presets in presets, at most. */
const DEEPEST = 8;

export function flatten(config: RenovateObject, report: (finding: Finding) => void): FlatOptions {
  const options = new Map<string, RenovateOption>();
  const rules: PackageRule[] = [];
  const ignored = new Set(textsIn(config.ignorePresets));
  add(config, [], 0);
  return { options, rules };

  function add(layer: RenovateObject, from: OptionPath, depth: number): void {
    extend(layer, from, depth, (preset, path) => add(preset, path, depth + 1));
    for (const [option, value] of Object.entries(layer)) {
      // What a preset says is reported at the line that names it.
      const path = depth === 0 ? [...from, option] : from;
      if (option === "extends" || option === "ignorePresets") continue;
      if (option === "packageRules") {
        const list = Array.isArray(value) ? value : [];
        for (const [index, rule] of list.entries())
          if (isObject(rule)) addRule(rule, depth === 0 ? [...path, index] : path);
      } else if (UPDATE_TYPES.includes(option) && isObject(value)) {
        rules.push({ rule: { ...value, matchUpdateTypes: [option] }, path });
      } else if (isObject(value) && managerNamed(option) !== undefined) {
        rules.push({ rule: { ...value, matchManagers: [option] }, path });
      } else {
        const before = options.get(option)?.value;
        const isAdded = ADDED.includes(option) && Array.isArray(before) && Array.isArray(value);
        options.set(option, { value: isAdded ? [...before, ...value] : value, path });
      }
    }
  }

  function addRule(rule: RenovateObject, path: OptionPath): void {
    let extended: RenovateObject = {};
    extend(rule, path, 0, (preset) => {
      extended = { ...extended, ...preset };
    });
    const { extends: _extends, packageRules: _rules, ...whole } = { ...extended, ...rule };
    rules.push({ rule: whole, path });
  }

  function extend(
    layer: RenovateObject,
    from: OptionPath,
    depth: number,
    use: (preset: RenovateObject, path: OptionPath) => void,
  ): void {
    for (const [index, name] of textsIn(layer.extends).entries()) {
      const path = depth === 0 ? [...from, "extends", index] : from;
      const preset = ignored.has(name) || depth >= DEEPEST ? {} : presetOf(name);
      if (preset) use(preset, path);
      else report({ option: name, path, why: whyNot(name) });
    }
  }
}

const whyNot = (preset: string): string =>
  preset.includes(">") || /^[\w.-]+\/[\w.-]+/.test(preset)
    ? "presets of other repositories are not read"
    : /^(group|replacements|workarounds|monorepo):/.test(preset)
      ? "its list of packages is not known here"
      : "this preset is not known";
