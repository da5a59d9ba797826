/** The block `updates` of the daemon: registries, patterns and the settings of an account. */
import { RE2JS } from "re2js";
import type { PackageManager } from "../../managers/index.js";
import { groupsIn } from "../../managers/patterns/groups.js";
import { sourceFault } from "../../managers/patterns/source-names.js";
import { accountBlock } from "./account.js";
import type { Report } from "./entries.js";
import {
  attribute,
  quoted,
  rendered,
  type WrittenAttribute,
  type WrittenBlock,
} from "./language.js";
import { managerOfHost, managersOfSource } from "./names.js";
import { type FlatOptions, type OptionPath, textsIn } from "./options.js";
import { isObject, type RenovateObject, textIn } from "./read.js";

const isAddress = (url: unknown): url is string =>
  typeof url === "string" && /^https?:\/\/[^/\s"]+/.test(url) && URL.canParse(url);

export function blockOf({ options, rules }: FlatOptions, account: string, report: Report): string {
  const committer = options.get("gitAuthor")?.value;
  const own =
    typeof committer === "string" && /^[^<>]+ <[^<>]+>$/.test(committer)
      ? [attribute("committer", quoted(committer))]
      : [];
  const blocks = [
    ...withoutRepeats([...hosts(options, report), ...registries(options, rules, report)]),
    ...patterns(options, report),
    ...accountBlock(options, account, report),
  ];
  return rendered(own, blocks);
}

type Options = FlatOptions["options"];

/** Addresses only: a token is named, and stays where it is. */
function hosts(options: Options, report: Report): readonly WrittenBlock[] {
  const { value, path = [] } = options.get("hostRules") ?? { value: undefined };
  return (Array.isArray(value) ? value : []).flatMap((rule): readonly WrittenBlock[] => {
    if (!isObject(rule)) return [];
    const say = (why: string): readonly WrittenBlock[] => {
      report({ option: "hostRules", path, why });
      return [];
    };
    const host = textIn(rule.matchHost ?? rule.hostName ?? rule.baseUrl);
    const url = /^https?:\/\//.test(host) ? host : `https://${host.replace(/^\.+/, "")}`;
    const manager = managerOfHost(textIn(rule.hostType));
    if (host === "" || !isAddress(url)) return say("a rule without a host has no equivalent");
    if (!manager) return say(`name the package manager of \`${host}\` in a \`registry\` block`);
    return [{ kind: "registry", label: manager, attributes: [address(url), ...login(rule, host)] }];
  });
}

const address = (url: string): WrittenAttribute => {
  const { href, username, password } = new URL(url);
  const bare = username === "" && password === "" ? href : withoutLogin(href);
  return attribute("url", quoted(bare.replace(/\/+$/, "")));
};

function withoutLogin(url: string): string {
  const parsed = new URL(url);
  parsed.username = "";
  parsed.password = "";
  return parsed.href;
}

function login(rule: RenovateObject, host: string): readonly WrittenAttribute[] {
  const variable = host
    .replace(/^https?:\/\//, "")
    .replace(/[^A-Za-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "")
    .toUpperCase();
  const secret = (what: string): string => `secret("env:${variable || "HOST"}_${what}")`;
  const encrypted = isObject(rule.encrypted) ? rule.encrypted : {};
  const { username } = rule;
  if (typeof username === "string" && /^[^:]+$/.test(username))
    return [attribute("username", quoted(username)), attribute("password", secret("PASSWORD"))];
  return "token" in rule || "token" in encrypted ? [attribute("token", secret("TOKEN"))] : [];
}

function registries(
  options: Options,
  rules: FlatOptions["rules"],
  report: Report,
): readonly WrittenBlock[] {
  const npmrc = textIn(options.get("npmrc")?.value);
  const fromNpmrc = [...npmrc.matchAll(/^\s*(?:(@[\w.-]+):)?registry\s*=\s*"?([^\s"]+)/gm)].flatMap(
    ([, scope, url]): readonly WrittenBlock[] =>
      isAddress(url)
        ? [
            {
              ...{ kind: "registry", label: "npm_and_yarn" },
              attributes: [address(url), ...(scope ? [attribute("scope", quoted(scope))] : [])],
            },
          ]
        : [],
  );
  if (/_auth|_password/i.test(npmrc))
    report({
      ...{ option: "npmrc", path: options.get("npmrc")?.path ?? [] },
      why: "credentials are not copied; give the `registry` block a `token`",
    });
  const whole = options.get("registryUrls");
  if (textsIn(whole?.value).length > 0)
    report({
      ...{ option: "registryUrls", path: whole?.path ?? [] },
      why: "name the package manager of these addresses in `registry` blocks",
    });
  const fromRules = rules.flatMap(({ rule, path }) =>
    textsIn(rule.registryUrls)
      .slice(0, 1)
      .flatMap((url): readonly WrittenBlock[] => {
        const labels = managersIn(rule);
        if (labels.length === 0 || !isAddress(url) || textsIn(rule.registryUrls).length > 1)
          report({
            ...{ option: "registryUrls", path: [...path, "registryUrls"] },
            why: "a registry needs one address and a package manager",
          });
        return isAddress(url)
          ? labels.map((label) => ({ kind: "registry", label, attributes: [address(url)] }))
          : [];
      }),
  );
  return [...fromNpmrc, ...fromRules];
}

const managersIn = (rule: RenovateObject): readonly PackageManager[] => [
  ...new Set([
    ...textsIn(rule.matchManagers).flatMap((each) => managerOfHost(each) ?? []),
    ...textsIn(rule.matchDatasources).flatMap((each) => managersOfSource(each)?.[0] ?? []),
  ]),
];

function withoutRepeats(blocks: readonly WrittenBlock[]): readonly WrittenBlock[] {
  const keys = blocks.map(({ label, attributes }) =>
    [label, ...attributes.filter(({ name }) => name === "scope").map(({ value }) => value)].join(
      " ",
    ),
  );
  return blocks.filter((_block, index) => keys.indexOf(keys[index] ?? "") === index);
}

const TEMPLATES = ["autoReplaceStringTemplate", "currentValueTemplate", "extractVersionTemplate"];

function patterns(options: Options, report: Report): readonly WrittenBlock[] {
  const found = options.get("customManagers") ?? options.get("regexManagers");
  const list = Array.isArray(found?.value) ? found.value : [];
  return list.flatMap((each, index): readonly WrittenBlock[] => {
    const path: OptionPath = [...(found?.path ?? []), index];
    const refuse = (why: string): readonly WrittenBlock[] => {
      report({ option: "customManagers", path, why });
      return [];
    };
    if (!isObject(each) || (each.customType ?? "regex") !== "regex")
      return refuse("only managers of the type `regex` can be converted");
    const match = textsIn(each.matchStrings);
    const wrong = match.find((one) => !isExpression(one));
    if (wrong !== undefined) return refuse(`RE2 cannot read \`${wrong}\``);
    const groups = new Set(match.flatMap((one) => [...groupsIn(one)]));
    const source = each.datasourceTemplate;
    const name = each.packageNameTemplate ?? each.depNameTemplate;
    if (!groups.has("version")) return refuse("there is no group `currentValue`");
    if (typeof source !== "string" ? !groups.has("source") : sourceFault(source) !== undefined)
      return refuse("its data source is not known here");
    if (typeof name !== "string" && !groups.has("name"))
      return refuse("there is no name of a package");
    if ([source, name].some((one) => typeof one === "string" && one.includes("{{")))
      return refuse("templates are not evaluated");
    const template = [...TEMPLATES, "versioningTemplate"].find((one) => one in each);
    if (template !== undefined)
      report({
        option: template,
        path: [...path, template],
        why: "the text of the version is compared as a tag",
      });
    const globs = textsIn(each.managerFilePatterns ?? each.fileMatch).map((one) => globOf(one));
    if (globs.includes(undefined) || globs.length === 0)
      report({
        option: "managerFilePatterns",
        path,
        why: "a pattern of files is no simple one; all files are searched",
      });
    const files = [...new Set(globs.map((glob) => glob ?? "**"))];
    const strategy = textIn(each.matchStringsStrategy ?? "any");
    return [
      {
        ...{ kind: "pattern", label: `custom-${index + 1}` },
        attributes: [
          attribute("files", `[${(files.length > 0 ? files : ["**"]).map(quoted).join(", ")}]`),
          attribute("match", `[${match.map(expression).join(", ")}]`),
          ...(["recursive", "combination"].includes(strategy)
            ? [attribute("strategy", quoted(strategy))]
            : []),
          ...(typeof source === "string" ? [attribute("source", quoted(source))] : []),
          ...(typeof name === "string" ? [attribute("package", quoted(name))] : []),
        ],
      },
    ];
  });
}

function isExpression(source: string): boolean {
  try {
    RE2JS.compile(source);
    return !/[\n\r]/.test(source);
  } catch {
    return false;
  }
}

/** A pattern of the language has no quotes. */
const expression = (source: string): string =>
  `re"${source.replace(/\\[\s\S]|"/g, (each) => (each.endsWith('"') ? "\\x22" : each))}"`;

/** `(^|/)Dockerfile$`, `/\.ya?ml$/` and globs; undefined for other expressions. */
function globOf(written: string): string | undefined {
  const [, inside] = /^\/(.*)\/$/.exec(written) ?? [];
  if (inside === undefined && !/[\\^$]/.test(written)) return written;
  const source = inside ?? written;
  const [, start = "", name = "", end = ""] =
    /^(\(\^\|\/\)|\(\?:\^\|\/\)|\^)?((?:[\w./-]|\\[./-]|\.\*)*)(\$)?$/.exec(source) ?? [];
  if (name === "" || end === "") return undefined;
  const glob = name.replaceAll(".*", "*").replace(/\\([./-])/g, "$1");
  return start === "^" ? glob : start === "" ? `**/*${glob}` : `**/${glob}`;
}
