/**
 * The messages that the server understands, each with its parameters and its answer. A message that is not of the protocol, such as one of the playground, is
 * one more line here and one more method in `server.ts`: its name begins with `detection-content/`.
 */
import type {
  CodeActionParams,
  CodeLensParams,
  CompletionParams,
  DefinitionParams,
  DidChangeTextDocumentParams,
  DidChangeWatchedFilesParams,
  DidCloseTextDocumentParams,
  DidOpenTextDocumentParams,
  DocumentDiagnosticParams,
  DocumentDiagnosticReport,
  DocumentFormattingParams,
  DocumentHighlightParams,
  DocumentSymbolParams,
  ExecuteCommandParams,
  FoldingRangeParams,
  HoverParams,
  InitializedParams,
  InitializeParams,
  InitializeResult,
  InlayHintParams,
  PrepareRenameParams,
  ReferenceParams,
  RenameParams,
  SelectionRangeParams,
  SemanticTokensParams,
  SemanticTokensRangeParams,
  SetTraceParams,
  WorkspaceDiagnosticParams,
  WorkspaceDiagnosticReport,
  WorkspaceSymbolParams,
} from 'vscode-languageserver-protocol'
import type {
  CodeAction,
  CodeLens,
  CompletionList,
  DocumentHighlight,
  DocumentSymbol,
  FoldingRange,
  Hover,
  InlayHint,
  Location,
  Range,
  SelectionRange,
  SemanticTokens,
  TextEdit,
  WorkspaceEdit,
  WorkspaceSymbol,
} from 'vscode-languageserver-types'
import type { CaseScore } from './features/case-scores.js'

export interface Requests {
  initialize: [InitializeParams, InitializeResult]
  shutdown: [undefined, null]
  'textDocument/completion': [CompletionParams, CompletionList | null]
  'textDocument/hover': [HoverParams, Hover | null]
  'textDocument/definition': [DefinitionParams, Location[]]
  'textDocument/references': [ReferenceParams, Location[]]
  'textDocument/documentHighlight': [DocumentHighlightParams, DocumentHighlight[]]
  'textDocument/prepareRename': [PrepareRenameParams, Range | null]
  'textDocument/rename': [RenameParams, WorkspaceEdit | null]
  'textDocument/documentSymbol': [DocumentSymbolParams, DocumentSymbol[]]
  'textDocument/foldingRange': [FoldingRangeParams, FoldingRange[]]
  'textDocument/selectionRange': [SelectionRangeParams, SelectionRange[]]
  'textDocument/semanticTokens/full': [SemanticTokensParams, SemanticTokens]
  'textDocument/semanticTokens/range': [SemanticTokensRangeParams, SemanticTokens]
  'textDocument/formatting': [DocumentFormattingParams, TextEdit[]]
  'textDocument/codeAction': [CodeActionParams, CodeAction[]]
  'textDocument/codeLens': [CodeLensParams, CodeLens[]]
  'codeLens/resolve': [CodeLens, CodeLens]
  'textDocument/inlayHint': [InlayHintParams, InlayHint[]]
  'textDocument/diagnostic': [DocumentDiagnosticParams, DocumentDiagnosticReport]
  'workspace/executeCommand': [ExecuteCommandParams, Promise<CaseScore | null>]
  'workspace/diagnostic': [WorkspaceDiagnosticParams, WorkspaceDiagnosticReport]
  'workspace/symbol': [WorkspaceSymbolParams, WorkspaceSymbol[]]
}

export interface Notifications {
  initialized: InitializedParams
  exit: undefined
  'textDocument/didOpen': DidOpenTextDocumentParams
  'textDocument/didChange': DidChangeTextDocumentParams
  'textDocument/didSave': unknown
  'textDocument/didClose': DidCloseTextDocumentParams
  'workspace/didChangeWatchedFiles': DidChangeWatchedFilesParams
  'workspace/didChangeConfiguration': unknown
  '$/setTrace': SetTraceParams
}

export type RequestHandlers = { readonly [Method in keyof Requests]: (params: Requests[Method][0]) => Requests[Method][1] }
export type NotificationHandlers = { readonly [Method in keyof Notifications]: (params: Notifications[Method]) => void }

/** Messages from the server to the client. */
export interface Client {
  notify(method: string, params: unknown): void
  request(method: string, params: unknown): Promise<unknown>
}
