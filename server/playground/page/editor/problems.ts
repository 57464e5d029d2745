/** Diagnostics of the engine as the problems of the page's files. */
import type { DiagnosticRecord } from '#engine'
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

/** Characters of a replacement in the name of its fix. */
const SHOWN_CHARACTERS = 48

const ORDER = { error: 0, warning: 1, info: 2, success: 3 } as const

/** Errors first, then in the order of files and lines. */
export function problemsOf({ diagnosis, diagnosed }: Pick<State, 'diagnosis' | 'diagnosed'>): Problem[] {
  const problems = (diagnosis?.diagnostics ?? []).flatMap((record, index): Problem[] => {
    const mark = diagnosis?.marks[index] ?? null
    // A problem of the base concerns an author only if it keeps Wazuh from starting.
    if (record.source_scope === 'default' && record.severity !== 'error') return []
    return [{ record, file: mark === null ? null : diagnosed[mark.file], mark }]
  })
  return problems.sort((a, b) => ORDER[a.record.severity] - ORDER[b.record.severity])
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
