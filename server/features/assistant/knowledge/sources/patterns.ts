/** Records about the pattern dialects: what each reads in each construct, together and one by one. */
import { DIALECTS, type DialectNote, dialectNotes, LOCALES } from '#engine'
import type { AiContextType } from '../knowledge.js'
import { lines, recordsOf, wordsOf } from '../record.js'
import type { Source } from './source.js'

const CONTEXT_TYPES: readonly AiContextType[] = ['rule', 'decoder']

export const patterns: Source = function* () {
  for (const locale of LOCALES) {
    const { dialects, construct } = wordsOf(locale)
    const notes = dialectNotes(locale)
    const common = { kind: 'regex', locale, contextTypes: CONTEXT_TYPES } as const
    yield* recordsOf({ ...common, uid: `regex:dialects:${locale}`, title: dialects }, lines(notes.map((note) => `- ${note.name} — ${describe(note).join('; ')}`)))
    for (const note of notes) {
      yield* recordsOf({ ...common, uid: `regex:construct.${note.name}:${locale}`, title: `${note.name} ${construct}` }, lines(describe(note)))
    }
  }
}

function describe({ reads }: DialectNote): string[] {
  return DIALECTS.map((dialect) => `${dialect}: ${reads[dialect]}`)
}
