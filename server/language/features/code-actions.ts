/** Corrections of diagnostics, a rule of the base that is overridden by an own one, and the cases of a rule. */
import { type Diagnostic, type Fix, fixesOf, laterFileName, type Locale } from '#engine'
import { type CodeAction, CodeActionKind, type Diagnostic as LspDiagnostic, type Range, TextDocumentEdit, type TextEdit, type WorkspaceEdit } from 'vscode-languageserver-types'
import type { ContentDocument } from '../content/document.js'
import type { Found } from '../content/name-index.js'
import { type DefinedRule, nameAt } from '../content/names.js'
import type { Snapshot, Workspace } from '../content/workspace.js'
import { attributeOf } from '../text/scan.js'
import { type Words, WORDS } from '../words.js'
import { type CaseScores, MEASURE_ACTION } from './case-scores.js'
import { lspDiagnostic } from './diagnostics.js'

/** The kind of the action that applies all sure corrections of a file, which clients can run when they save. */
export const FIX_ALL = `${CodeActionKind.SourceFixAll}.detection-content`

/** Units of a replacement in the title of its action. */
const TITLE_LIMIT = 60

/** The file in which managers keep their own rules: Wazuh loads it after the stock files. */
const OWN_RULES_FILE = 'local_rules.xml'

export interface CodeActionRequest {
  readonly snapshot: Snapshot
  readonly workspace: Workspace
  readonly document: ContentDocument
  readonly range: Range
  /** Kinds that the client wants; null: all. */
  readonly only: readonly string[] | null
  /** Whether the client can create files. */
  readonly canCreate: boolean
  /** Whether the client can rename files. */
  readonly canRename: boolean
  readonly locale: Locale
  readonly helpOf: (code: string) => string | null
  /** What the cases of rules are worth; null: nobody measures it. */
  readonly scores: CaseScores | null
}

export function codeActions(request: CodeActionRequest): CodeAction[] {
  const { only, scores, workspace, document, range, canCreate, locale } = request
  const wants = (kind: string): boolean => only === null || only.some((wanted) => kind === wanted || kind.startsWith(`${wanted}.`))
  return [
    ...(wants(CodeActionKind.QuickFix) ? [...quickFixes(request), ...renames(request)] : []),
    ...(wants(CodeActionKind.RefactorRewrite) ? [...overrides(request), ...(scores?.addActions(workspace, document, range, canCreate, locale) ?? [])] : []),
    ...(wants(FIX_ALL) ? fixAll(request) : []),
    ...(wants(MEASURE_ACTION) ? (scores?.measureActions(document, range, locale) ?? []) : []),
  ]
}

function quickFixes({ snapshot, document, range, locale, helpOf }: CodeActionRequest): CodeAction[] {
  const from = document.positions.offsetAt(range.start)
  const to = document.positions.offsetAt(range.end)
  return snapshot.diagnosticsOf(document).flatMap((diagnostic) => {
    if (!touches(document, diagnostic, from, to)) return []
    const fixes = fixesFor(snapshot, document, diagnostic)
    if (fixes.length === 0) return []
    const shown = lspDiagnostic(snapshot, document, diagnostic, locale, helpOf)
    return fixes.map((fix, index) => actionOf(document, fix, shown, index === 0 && fixes.length === 1, WORDS[locale]))
  })
}

/** Another name for a file that loads too early, once for each file that it needs. */
function renames({ snapshot, document, range, canRename, locale, helpOf }: CodeActionRequest): CodeAction[] {
  if (!canRename || document.scope === 'default') return []
  const from = document.positions.offsetAt(range.start)
  const to = document.positions.offsetAt(range.end)
  const byName = new Map<string, Diagnostic>()
  for (const diagnostic of snapshot.diagnosticsOf(document)) {
    const name = touches(document, diagnostic, from, to) ? laterFileName(diagnostic) : null
    if (name !== null && !byName.has(name)) byName.set(name, diagnostic)
  }
  return [...byName].flatMap(([name, diagnostic]): CodeAction[] => {
    const newUri = document.uri.replace(/[^/]*$/, encodeURIComponent(name))
    if (snapshot.own.some(({ uri }) => uri === newUri)) return []
    return [
      {
        title: WORDS[locale].renameFile(name),
        kind: CodeActionKind.QuickFix,
        diagnostics: [lspDiagnostic(snapshot, document, diagnostic, locale, helpOf)],
        edit: { documentChanges: [{ kind: 'rename', oldUri: document.uri, newUri }] },
      },
    ]
  })
}

/** A diagnostic of a whole rule is offered at any place in it. */
function touches({ positions }: ContentDocument, { span }: Diagnostic, from: number, to: number): boolean {
  return span !== null && positions.offsetOfByte(span.start) <= to && from <= positions.offsetOfByte(span.end)
}

/** The corrections of a diagnostic. */
export function fixesFor(snapshot: Snapshot, document: ContentDocument, diagnostic: Diagnostic): Fix[] {
  return fixesOf(diagnostic, document.bytes, () => snapshot.names.freeRuleId(document))
}

function actionOf(document: ContentDocument, fix: Fix, diagnostic: LspDiagnostic, isOnly: boolean, words: Words): CodeAction {
  return {
    title: titleOf(document, fix, words),
    kind: CodeActionKind.QuickFix,
    diagnostics: [diagnostic],
    isPreferred: fix.isSure || isOnly,
    edit: { changes: { [document.uri]: textEdits(document, fix) } },
  }
}

function titleOf({ positions, text }: ContentDocument, { edits }: Fix, words: Words): string {
  const shorten = (shown: string): string => (shown.length > TITLE_LIMIT ? `${shown.slice(0, TITLE_LIMIT)}…` : shown)
  const [{ start, end, text: replacement }] = edits
  const replaced = text.slice(positions.offsetOfByte(start), positions.offsetOfByte(end))
  // The names in both tags of an element are one correction.
  const isOne = edits.every((edit) => edit.text === replacement)
  if (!isOne) return words.change(edits.length)
  if (replacement.trim() === '' && replaced.trim() !== '') return words.remove(shorten(replaced.trim()))
  return replaced === '' ? words.insert(shorten(replacement.trim() === '' ? replacement : replacement.trim())) : words.replaceWith(shorten(replacement))
}

function textEdits({ positions }: ContentDocument, { edits }: Fix): TextEdit[] {
  return edits.map(({ start, end, text }) => ({ range: positions.rangeOfBytes({ start, end }), newText: text }))
}

/** All sure corrections of a document that do not touch each other. */
function fixAll({ snapshot, document, locale }: CodeActionRequest): CodeAction[] {
  const edits = sureEdits(snapshot, document)
  if (edits.length === 0) return []
  return [{ title: WORDS[locale].fixAll, kind: FIX_ALL, edit: { changes: { [document.uri]: edits } } }]
}

function sureEdits(snapshot: Snapshot, document: ContentDocument): TextEdit[] {
  const found = snapshot.diagnosticsOf(document).flatMap((diagnostic) => fixesFor(snapshot, document, diagnostic).find(({ isSure }) => isSure) ?? [])
  return textEdits(document, { isSure: true, edits: apart(found) })
}

/** The replacements of those corrections that do not touch earlier ones, in ascending order. */
export function apart(fixes: readonly Fix[]): Fix['edits'] {
  const taken: Fix['edits'][number][] = []
  for (const { edits } of fixes) {
    if (edits.some((edit) => taken.some((other) => edit.start <= other.end && other.start <= edit.end))) continue
    taken.push(...edits)
  }
  return taken.sort((a, b) => a.start - b.start)
}

/** For a rule of the base at the cursor, or one that is named there: a copy with `overwrite="yes"` in own content. */
function overrides(request: CodeActionRequest): CodeAction[] {
  const { snapshot, document, range, locale } = request
  const place = nameAt(document.names, document.positions.offsetAt(range.start))
  if (place?.kind !== 'rule') return []
  const found = snapshot.names.rule(place.name)
  // A rule that is overwritten already has its own content.
  if (found === undefined || found.document.scope !== 'default') return []
  const edit = editOf(request, overwriteOf(found))
  return edit === null ? [] : [{ title: WORDS[locale].override(place.name), kind: CodeActionKind.RefactorRewrite, edit }]
}

/** The whole rule as it stands, because an overwrite replaces all of it, in a group of the same name. */
function overwriteOf({ document, item }: Found<DefinedRule>): string {
  const { text } = document
  const { element, group } = item
  const indentation = /[ \t]*$/.exec(text.slice(0, element.start))?.[0] ?? ''
  const opening = text.slice(element.start, element.tagEnd).replace(/\s*>$/, ' overwrite="yes">')
  const rest = text
    .slice(element.tagEnd, element.end)
    .split('\n')
    .map((line, index) => (index > 0 && line.startsWith(indentation) ? `  ${line.slice(indentation.length)}` : line))
    .join('\n')
  const name = group === null ? 'local,' : (attributeOf(group, 'name')?.value ?? 'local,')
  return `<group name="${name}">\n  ${withVariables(document, opening + rest)}\n</group>\n`
}

/** The text with the values of the variables of its file, which another file does not have. */
function withVariables({ scanned }: ContentDocument, text: string): string {
  const values = new Map(
    scanned.roots
      .filter(({ name }) => name.toLowerCase() === 'var')
      .map((element) => [attributeOf(element, 'name')?.value ?? '', scanned.text.slice(element.contentStart, element.contentEnd)]),
  )
  return values.size === 0 ? text : text.replace(/\$([A-Za-z0-9_]+)/g, (written, name: string) => values.get(name) ?? written)
}

function editOf({ snapshot, workspace, document, canCreate }: CodeActionRequest, text: string): WorkspaceEdit | null {
  const isOwnRules = ({ kind, scope }: ContentDocument): boolean => kind === 'rules' && scope !== 'default'
  const target = isOwnRules(document) ? document : snapshot.own.find((one) => isOwnRules(one) && one.file.filename === OWN_RULES_FILE)
  if (target !== undefined) {
    const end = target.positions.positionAt(target.text.length)
    const separator = target.text === '' ? '' : target.text.endsWith('\n') ? '\n' : '\n\n'
    return { changes: { [target.uri]: [{ range: { start: end, end }, newText: separator + text }] } }
  }
  const uri = workspace.uriOfNew(OWN_RULES_FILE)
  if (uri === null || !canCreate) return null
  const start = { line: 0, character: 0 }
  return {
    documentChanges: [
      { kind: 'create', uri, options: { ignoreIfExists: true } },
      TextDocumentEdit.create({ uri, version: null }, [{ range: { start, end: start }, newText: text }]),
    ],
  }
}
