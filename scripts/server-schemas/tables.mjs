// Servers whose packages have no description of their settings: the names, types, choices and defaults in their code.
import {
  anyOf,
  array,
  below,
  choice,
  flag,
  integer,
  list,
  map,
  number,
  oneOf,
  optional,
  text,
} from "./notation.mjs";

const severity = (byDefault) => oneOf(byDefault, ["ignore", "warning", "error"]);

/** A list of texts, or one text with spaces between. */
const words = { type: ["array", "string"], items: { type: "string" }, default: [] };

export const bash = {
  source: "the code of bash-language-server 5.8.1",
  properties: below("bashIde", {
    backgroundAnalysisIgnore: list(["**/node_modules/**", "**/.git/**"]),
    backgroundAnalysisMaxFiles: { ...integer(500), minimum: 0 },
    enableSourceErrorDiagnostics: flag(false),
    explainshellEndpoint: text(""),
    globPattern: text("**/*@(.sh|.inc|.bash|.command)"),
    includeAllWorkspaceSymbols: flag(false),
    logLevel: oneOf("info", ["debug", "info", "warning", "error"]),
    shellcheckArguments: words,
    shellcheckExternalSources: flag(true),
    shellcheckPath: text("shellcheck"),
    "shfmt.additionalArguments": words,
    "shfmt.binaryNextLine": flag(false),
    "shfmt.caseIndent": flag(false),
    "shfmt.funcNextLine": flag(false),
    "shfmt.ignoreEditorconfig": flag(false),
    "shfmt.keepPadding": flag(false),
    "shfmt.languageDialect": choice("auto", "bash", "posix", "mksh", "bats"),
    "shfmt.path": text("shfmt"),
    "shfmt.simplifyCode": flag(false),
    "shfmt.spaceRedirects": flag(false),
  }),
};

/** clangd takes no other settings while it runs; the rest is in its `.clangd` files. */
export const clangd = {
  source: "the protocol extensions of clangd 19",
  properties: {
    compilationDatabaseChanges: {
      type: "object",
      additionalProperties: {
        type: "object",
        additionalProperties: false,
        properties: {
          workingDirectory: { type: "string" },
          compilationCommand: { type: "array", items: { type: "string" } },
        },
      },
    },
  },
};

/** The server asks for all of its settings at once, without the name of a section. */
export const eslint = {
  source: "the code of vscode-langservers-extracted 4.10.0",
  properties: {
    validate: choice("on", "off", "probe"),
    run: choice("onType", "onSave"),
    packageManager: anyOf("npm", "yarn", "pnpm"),
    useESLintClass: flag(false),
    useFlatConfig: flag(),
    "experimental.useFlatConfig": flag(),
    format: flag(true),
    quiet: flag(false),
    onIgnoredFiles: choice("off", "warn"),
    options: map(),
    rulesCustomizations: { ...array(), items: { type: "object" } },
    nodePath: optional(),
    workingDirectory: { type: "object", default: { mode: "location" } },
    workspaceFolder: { type: "object" },
    "problems.shortenToSingleLine": flag(false),
    "codeAction.disableRuleComment": {
      type: "object",
      default: { enable: true, location: "separateLine", commentStyle: "line" },
      properties: {
        enable: { type: "boolean" },
        location: { type: "string", enum: ["separateLine", "sameLine"] },
        commentStyle: { type: "string", enum: ["line", "block"] },
      },
    },
    "codeAction.showDocumentation.enable": flag(true),
    "codeActionOnSave.mode": choice("all", "problems"),
    "codeActionOnSave.rules": { type: ["array", "null"], items: { type: "string" }, default: null },
  },
};

export const json = {
  source: "the code of vscode-langservers-extracted 4.10.0",
  properties: {
    "json.schemas": { ...array(), items: { type: "object" } },
    "json.validate.enable": flag(true),
    "json.format.enable": flag(true),
    "json.format.keepLines": flag(false),
    "json.resultLimit": integer(),
    "json.jsonFoldingLimit": integer(),
    "json.jsoncFoldingLimit": integer(),
    "json.jsonColorDecoratorLimit": integer(),
    "json.jsoncColorDecoratorLimit": integer(),
    "http.proxy": text(),
    "http.proxyStrictSSL": flag(),
  },
};

export const tailwind = {
  source: "the code of @tailwindcss/language-server 0.16.0",
  properties: {
    ...below("tailwindCSS", {
      classAttributes: list(["class", "className", "ngClass", "class:list"]),
      classFunctions: list(),
      codeActions: flag(true),
      codeLens: flag(true),
      colorDecorators: flag(true),
      emmetCompletions: flag(false),
      "experimental.classRegex": array(),
      "experimental.configFile": { type: ["string", "object", "null"], default: null },
      "files.exclude": list([
        ...["**/.git/**", "**/.hg/**", "**/.svn/**", "**/node_modules/**", "**/.yarn/**"],
        ...["**/.venv/**", "**/venv/**", "**/.next/**", "**/.parcel-cache/**"],
        ...["**/.svelte-kit/**", "**/.turbo/**", "**/__pycache__/**"],
      ]),
      hovers: flag(true),
      includeLanguages: { type: "object", additionalProperties: { type: "string" }, default: {} },
      inspectPort: optional("number"),
      "lint.cssConflict": severity("warning"),
      "lint.deprecatedAtRule": severity("warning"),
      "lint.invalidApply": severity("error"),
      "lint.invalidConfigPath": severity("error"),
      "lint.invalidScreen": severity("error"),
      "lint.invalidSourceDirective": severity("error"),
      "lint.invalidTailwindDirective": severity("error"),
      "lint.invalidVariant": severity("error"),
      "lint.recommendedVariantOrder": severity("warning"),
      "lint.suggestCanonicalClasses": severity("warning"),
      "lint.usedBlocklistedClass": severity("warning"),
      rootFontSize: number(16),
      showPixelEquivalents: flag(true),
      suggestions: flag(true),
      validate: flag(true),
    }),
    "editor.tabSize": number(2),
  },
};

export const yaml = {
  source: "the settings of yaml-language-server 2.0.0",
  properties: {
    ...below("yaml", {
      completion: flag(true),
      customTags: list(),
      disableAdditionalProperties: flag(false),
      disableDefaultProperties: flag(false),
      disableSchemaDetection: { type: ["array", "string"], items: { type: "string" } },
      "format.bracketSpacing": flag(true),
      "format.enable": flag(true),
      "format.printWidth": integer(80),
      "format.proseWrap": choice("preserve", "never", "always"),
      "format.singleQuote": flag(false),
      "format.trailingComma": flag(true),
      hover: flag(true),
      hoverAnchor: flag(true),
      hoverSchemaSource: flag(true),
      keyOrdering: flag(false),
      "kubernetesCRDStore.enable": flag(true),
      "kubernetesCRDStore.url": text(),
      kubernetesVersion: text(),
      maxItemsComputed: integer(5000),
      "schemaStore.enable": flag(true),
      "schemaStore.url": text(),
      schemas: map(),
      "style.flowMapping": choice("allow", "forbid"),
      "style.flowSequence": choice("allow", "forbid"),
      "suggest.parentSkeletonSelectedFirst": flag(false),
      validate: flag(true),
      yamlVersion: choice("1.2", "1.1"),
    }),
    "editor.tabSize": integer(),
    "http.proxy": text(),
    "http.proxyStrictSSL": flag(),
  },
};
