/** A record for each diagnostic code and language: cause, effect in Wazuh, remedy, example. */
import { DIAGNOSTICS, type DiagnosticCode, type DiagnosticSource, diagnosticHelp, entryOf, LOCALES } from '#engine'
import type { AiContextType } from '../knowledge.js'
import { recordsOf } from '../record.js'
import type { Source } from './source.js'

const CONTEXT_TYPES: Readonly<Record<DiagnosticSource, readonly AiContextType[]>> = {
  rules: ['rule'],
  decoders: ['decoder'],
  xml: ['rule', 'decoder'],
  filesystem: ['rule', 'decoder'],
  // Patterns and limits of a run, for rules and decoders alike.
  engine: ['rule', 'decoder', 'general'],
  session: ['general'],
}

export const diagnostics: Source = function* () {
  for (const code of Object.keys(DIAGNOSTICS) as DiagnosticCode[]) {
    const entry = entryOf(code)
    for (const locale of LOCALES) {
      const { title } = entry.texts[locale]
      // Users copy the number from the log of Wazuh.
      const names = [code, ...entry.engineNumbers].join(', ')
      const record = { uid: `diagnostic:${code}:${locale}`, kind: 'diagnostic', title: `${title} (${names})`, locale, contextTypes: CONTEXT_TYPES[entry.source] } as const
      yield* recordsOf(record, diagnosticHelp(code, locale).markdown)
    }
  }
}
