/** Diagnostics of the engine as the marks of an editor, with their texts and fixes. */
import type { DiagnosticRecord } from '#engine'
import { type Diagnostic, setDiagnostics } from '@codemirror/lint'
import type { EditorState, TransactionSpec } from '@codemirror/state'
import type { FixRecord, Mark } from '../../worker/protocol.js'
import type { EditedFile, State } from '../model/state.js'
import type { Texts } from '../texts/index.js'

/** A problem of a file that is edited. */
export interface Problem {
  readonly record: DiagnosticRecord
  /** Null: it is about a file that is not edited. */
  readonly file: EditedFile | null
  readonly mark: Mark | null
}

/** Marks in an editor. More help nobody, and make it slow. */
const MARKS_LIMIT = 500
/** Characters of a replacement in the name of its fix. */
const SHOWN_CHARACTERS = 48

const ORDER = { error: 0, warning: 1, info: 2, success: 3 } as const

/** Errors first, then in the order of files and lines. */
export function problemsOf({ diagnosis, diagnosed }: Pick<State, 'diagnosis' | 'diagnosed'>): Problem[] {
  const problems = (diagnosis?.diagnostics ?? []).flatMap((record, index): Problem[] => {
    const mark = diagnosis?.marks[index] ?? null
    // Of the base only what keeps Wazuh from starting concerns an author.
    if (record.source_scope === 'default' && record.severity !== 'error') return []
    return [{ record, file: mark === null ? null : diagnosed[mark.file], mark }]
  })
  return problems.sort((a, b) => ORDER[a.record.severity] - ORDER[b.record.severity])
}

const SEVERITIES = { error: 'error', warning: 'warning', info: 'info', success: 'hint' } as const

/** What a mark offers. */
export interface MarkActions {
  readonly onFix: (fix: FixRecord) => void
  readonly onExplain: (code: string) => void
}

/** @param file the file in the editor */
export function markDiagnostics(state: EditorState, problems: readonly Problem[], file: EditedFile, texts: Texts, { onFix, onExplain }: MarkActions): TransactionSpec {
  const length = state.doc.length
  const marked = problems.flatMap(({ record, mark, file: of }): Diagnostic[] => {
    if (of !== file || mark === null) return []
    const from = Math.min(mark.from, length)
    return [
      {
        from,
        to: Math.min(Math.max(mark.to, from), length),
        severity: SEVERITIES[record.severity],
        message: record.message,
        renderMessage: () => describe(record, texts, onExplain),
        actions: mark.fixes.map((fix) => ({ name: texts.problems.fix(nameOfFix(fix, file.content, texts)), apply: () => onFix(fix) })),
      },
    ]
  })
  return setDiagnostics(
    state,
    marked.slice(0, MARKS_LIMIT).sort((a, b) => a.from - b.from),
  )
}

function describe({ code, message, hint, engine_effect }: DiagnosticRecord, { problems, effects }: Texts, onExplain: (code: string) => void): Node {
  const box = document.createElement('div')
  box.className = 'diagnostic'
  const add = (className: string, text: string): HTMLElement => {
    const line = box.appendChild(document.createElement('div'))
    line.className = className
    line.textContent = text
    return line
  }
  add('diagnostic-message', message)
  if (hint !== '') add('diagnostic-hint', hint)
  const facts = add('diagnostic-effect', engine_effect === 'none' ? '' : `${problems.effect} ${effects[engine_effect]} · `)
  const page = facts.appendChild(document.createElement('button'))
  page.type = 'button'
  page.className = 'code-link'
  page.textContent = code
  page.title = problems.explain
  page.onclick = () => onExplain(code)
  return box
}

/** What a fix does, in a few words. */
export function nameOfFix({ edits }: FixRecord, content: string, { problems }: Texts): string {
  const [{ from, to, insert }] = edits
  const shorten = (text: string): string => (text.length > SHOWN_CHARACTERS ? `${text.slice(0, SHOWN_CHARACTERS)}…` : text)
  // The names in both tags of an element are one change.
  if (!edits.every((edit) => edit.insert === insert)) return problems.change(edits.length)
  const replaced = content.slice(from, to).trim()
  if (insert.trim() === '' && replaced !== '') return problems.remove(shorten(replaced))
  return replaced === '' ? problems.insert(shorten(insert.trim())) : problems.replaceWith(shorten(insert.trim()))
}
