/** Problems as the marks of an editor, with their texts and fixes. */
import type { DiagnosticRecord } from '#engine'
import { type Diagnostic, setDiagnostics } from '@codemirror/lint'
import type { EditorState, TransactionSpec } from '@codemirror/state'
import type { FixRecord } from '../../worker/protocol.js'
import type { EditedFile } from '../model/state.js'
import type { Texts } from '../texts/index.js'
import { nameOfFix, type Problem } from './problems.js'

/** Marks in an editor. More help nobody, and make it slow. */
const MARKS_LIMIT = 500
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
