/** The requests about one document: method, and its answer. */
import type * as lsp from "vscode-languageserver-protocol";
import { completionAt } from "./features/completion/completion.js";
import { diagnosticsByFile, fixAll, quickFixes } from "./features/diagnostics.js";
import { documentLinks, formattingEdits, inlayHints } from "./features/extras.js";
import { hoverAt } from "./features/hover.js";
import { codeLenses, RUN_HOOK, SHOW_PLAN } from "./features/lenses.js";
import {
  definitionAt,
  highlightsAt,
  referencesAt,
  renameAt,
  renameRangeAt,
} from "./features/navigation.js";
import { documentSymbols, foldingRanges, selectionRanges } from "./features/outline.js";
import { semanticTokens, tokenModifiers, tokenTypes } from "./features/semantic-tokens.js";
import { signatureAt } from "./features/signature.js";
import type { PositionEncoding, TextDocument } from "./language/document.js";
import type { Project } from "./project.js";

/** What the editor said it can do. */
export interface EditorAbilities {
  readonly encoding: PositionEncoding;
  readonly snippets: boolean;
  /** It asks for diagnostics; they are not sent to it as well. */
  readonly pullsDiagnostics: boolean;
  readonly refreshesDiagnostics: boolean;
  readonly watchesFiles: boolean;
  readonly trustPlugins: boolean;
  readonly inlayHints: boolean;
}

export function abilitiesOf({
  capabilities: { general, textDocument, workspace },
  initializationOptions,
}: lsp.InitializeParams): EditorAbilities {
  const options = (initializationOptions ?? {}) as { trustPlugins?: unknown; inlayHints?: unknown };
  const encodings = general?.positionEncodings ?? ["utf-16"];
  return {
    encoding: encodings.includes("utf-16") || !encodings.includes("utf-8") ? "utf-16" : "utf-8",
    snippets: textDocument?.completion?.completionItem?.snippetSupport ?? false,
    pullsDiagnostics: textDocument?.diagnostic !== undefined,
    refreshesDiagnostics: workspace?.diagnostics?.refreshSupport ?? false,
    watchesFiles: workspace?.didChangeWatchedFiles?.dynamicRegistration ?? false,
    trustPlugins: options.trustPlugins === true,
    inlayHints: options.inlayHints === true,
  };
}

interface DocumentParams {
  readonly textDocument: lsp.TextDocumentIdentifier;
}

type Answer<Params> = (
  at: {
    readonly project: Project;
    readonly document: TextDocument;
    readonly abilities: EditorAbilities;
  },
  params: Params,
) => unknown;

/** An answer whose parameters are those of the method (LSP 3.17). */
const about = <Params extends DocumentParams>(answer: Answer<Params>): Answer<DocumentParams> =>
  answer as Answer<DocumentParams>;

export const documentRequests: Readonly<Record<string, Answer<DocumentParams>>> = {
  "textDocument/completion": about<lsp.CompletionParams>(
    ({ project, document, abilities }, { position }) =>
      completionAt(project, document, position, abilities),
  ),
  "textDocument/hover": about<lsp.HoverParams>(({ project, document }, { position }) =>
    hoverAt(project, document, position),
  ),
  "textDocument/signatureHelp": about<lsp.SignatureHelpParams>(
    ({ project, document }, { position }) => signatureAt(project, document, position),
  ),
  "textDocument/definition": about<lsp.DefinitionParams>(({ project, document }, { position }) =>
    definitionAt(project, document, position),
  ),
  "textDocument/references": about<lsp.ReferenceParams>(
    ({ project, document }, { position, context }) =>
      referencesAt(project, document, position, context.includeDeclaration),
  ),
  "textDocument/documentHighlight": about<lsp.DocumentHighlightParams>(
    ({ project, document }, { position }) => highlightsAt(project, document, position),
  ),
  "textDocument/prepareRename": about<lsp.PrepareRenameParams>(
    ({ project, document }, { position }) => renameRangeAt(project, document, position),
  ),
  "textDocument/rename": about<lsp.RenameParams>(({ project, document }, { position, newName }) =>
    renameAt(project, document, position, newName),
  ),
  "textDocument/documentSymbol": about(({ document }) => documentSymbols(document)),
  "textDocument/foldingRange": about(({ document }) => foldingRanges(document)),
  "textDocument/selectionRange": about<lsp.SelectionRangeParams>(({ document }, { positions }) =>
    selectionRanges(document, positions),
  ),
  "textDocument/formatting": about(({ document }) => formattingEdits(document)),
  "textDocument/documentLink": about(({ project, document }) => documentLinks(project, document)),
  "textDocument/codeLens": about(({ project, document }) => codeLenses(project, document)),
  "textDocument/inlayHint": about<lsp.InlayHintParams>(
    ({ project, document, abilities }, { range }) =>
      abilities.inlayHints ? inlayHints(project, document, range) : [],
  ),
  "textDocument/semanticTokens/full": about(({ project, document }) =>
    semanticTokens(project, document),
  ),
  "textDocument/semanticTokens/range": about<lsp.SemanticTokensRangeParams>(
    ({ project, document }, { range }) => semanticTokens(project, document, range),
  ),
  "textDocument/codeAction": about<lsp.CodeActionParams>(
    ({ project, document }, { range, context: { only } }) => {
      const isWanted = (kind: string) =>
        only === undefined || only.some((each) => kind === each || kind.startsWith(`${each}.`));
      return [
        ...(isWanted("quickfix") ? quickFixes(project, document, range) : []),
        ...(isWanted("source.fixAll") ? fixAll(project, document) : []),
      ];
    },
  ),
  "textDocument/diagnostic": about(async ({ project, document }) => {
    await project.current();
    return { kind: "full", items: diagnosticsByFile(project).get(document.path) ?? [] };
  }),
};

export const capabilitiesFor = ({
  encoding,
  pullsDiagnostics,
}: EditorAbilities): lsp.ServerCapabilities => ({
  positionEncoding: encoding,
  textDocumentSync: { openClose: true, change: 2, save: true },
  completionProvider: { triggerCharacters: [".", '"', "/", "["] },
  hoverProvider: true,
  signatureHelpProvider: { triggerCharacters: ["(", ","] },
  definitionProvider: true,
  referencesProvider: true,
  documentHighlightProvider: true,
  renameProvider: { prepareProvider: true },
  documentSymbolProvider: true,
  workspaceSymbolProvider: true,
  foldingRangeProvider: true,
  selectionRangeProvider: true,
  documentFormattingProvider: true,
  documentLinkProvider: {},
  codeActionProvider: { codeActionKinds: ["quickfix", "source.fixAll"] },
  codeLensProvider: {},
  inlayHintProvider: true,
  executeCommandProvider: { commands: [RUN_HOOK, SHOW_PLAN] },
  semanticTokensProvider: {
    legend: { tokenTypes: [...tokenTypes], tokenModifiers: [...tokenModifiers] },
    full: true,
    range: true,
  },
  ...(pullsDiagnostics && {
    diagnosticProvider: { interFileDependencies: true, workspaceDiagnostics: false },
  }),
});
