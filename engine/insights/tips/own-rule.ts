/** An own rule that nearly answered the event. */
import type { Localized } from '../../diagnostics/text.js'
import { LOCALES } from '../../diagnostics/text.js'
import { fromByteString } from '../../source/byte-string.js'
import { ABSENCE_WORDS, type Absence, explainAbsence } from '../absent-field.js'
import { EXPLAIN_WORDS } from '../explain-words.js'
import { describeFailure, failureSentence } from '../failed-condition.js'
import { HINT_TEXT } from '../hint-text.js'
import type { MissReason, NearRule } from '../near-rule.js'
import type { SiblingOrder } from '../overtaker.js'
import type { ToldRun } from '../tip.js'
import { defineTip } from '../tip.js'

interface FinalRule {
  readonly id: number
  readonly level: number
}

type Values = {
  readonly rule: number
  readonly level: number
  /** The final rule. */
  readonly final: FinalRule | null
} & (
  | { readonly kind: 'overtaken'; readonly wanted: number; readonly winner: FinalRule; readonly order: SiblingOrder }
  | { readonly kind: 'missed'; readonly reason: MissReason; readonly sentence: Localized; readonly absence: Absence | null }
)

function valuesOf(run: ToldRun): Values | null {
  const found = run.near?.rule ?? null
  if (found === null) return null
  const { id, level } = found.rule
  const base = { rule: id, level, final: run.outcome.rule }
  if (found.kind === 'overtaken') return { ...base, kind: 'overtaken', wanted: found.wanted.id, winner: found.winner, order: found.reason }
  const { failure, reason } = found
  const isAbsent = failure.kind === 'condition' && failure.text === undefined && failure.condition.field !== null
  const absence = isAbsent ? explainAbsence(run, fromByteString(failure.condition.field ?? '')) : null
  return { ...base, kind: 'missed', reason, sentence: sentenceOf(run, found), absence }
}

function sentenceOf(run: ToldRun, { rule, failure, reason }: Extract<NearRule, { readonly kind: 'missed' }>): Localized {
  const failed = describeFailure(rule, failure)
  // Where the pattern stops is accidental if it is for the header.
  const stop = reason === 'header' ? null : failed.stopped_at
  const short = { ...failed, pattern: cut(failed.pattern), text: failed.text === null ? null : cut(failed.text), stopped_at: stop }
  return Object.fromEntries(LOCALES.map((locale) => [locale, failureSentence(run, rule, failure, short, locale)])) as Record<(typeof LOCALES)[number], string>
}

/** A hint is one line. */
function cut(text: string): string {
  const short = text.length <= HINT_TEXT ? text : `${text.slice(0, HINT_TEXT)}…`
  return short.replace(/\r?\n/g, '\\n')
}

export const ownRule = defineTip<Values>({
  id: 'own-rule',
  isOfOwnContent: true,
  applies: valuesOf,
  about: (values) => `${values.rule} ${values.kind === 'overtaken' ? values.winner.id : values.reason}`,
  text: {
    'en-US': (values) => {
      const { rule, level, final } = values
      if (values.kind === 'overtaken') {
        const { wanted, winner, order } = values
        const before = wanted === rule ? 'it' : `its ancestor ${wanted}`
        const below = final === null || final.id === winner.id ? '' : ` Rule ${final.id} below that one answers.`
        return `Your rule ${rule} (level ${level}) would match too, but rule ${winner.id} (level ${winner.level}) is tried before ${before}, because ${EXPLAIN_WORDS['en-US'].order[order]}, and the first match wins.${below}`
      }
      const { sentence, reason, absence } = values
      const answer = final === null ? '' : ` Rule ${final.id} (level ${final.level}) answers instead.`
      return `Your rule ${rule} comes nearest, and only this condition of it fails: ${sentence['en-US']}${ABSENCE_WORDS['en-US'](absence) || MISSES[reason]['en-US']}${answer}`
    },
    'pt-BR': (values) => {
      const { rule, level, final } = values
      if (values.kind === 'overtaken') {
        const { wanted, winner, order } = values
        const before = wanted === rule ? 'dela' : `da ancestral ${wanted}`
        const below = final === null || final.id === winner.id ? '' : ` A regra ${final.id}, abaixo daquela, responde.`
        return `A sua regra ${rule} (nível ${level}) também casaria, mas a regra ${winner.id} (nível ${winner.level}) é testada antes ${before}, porque ${EXPLAIN_WORDS['pt-BR'].order[order]}, e a primeira que casa vence.${below}`
      }
      const { sentence, reason, absence } = values
      const answer = final === null ? '' : ` A regra ${final.id} (nível ${final.level}) responde no lugar dela.`
      return `A sua regra ${rule} chega mais perto, e só esta condição dela falha: ${sentence['pt-BR']}${ABSENCE_WORDS['pt-BR'](absence) || MISSES[reason]['pt-BR']}${answer}`
    },
  },
})

/** What follows the sentence about the condition. */
const MISSES: Readonly<Record<MissReason, Localized>> = {
  header: {
    'en-US': ' It matches the line with its header, but Wazuh removes the header before decoders and rules read the log.',
    'pt-BR': ' Ela casa com a linha junto com o cabeçalho, mas o Wazuh retira o cabeçalho antes que decoders e regras leiam o log.',
  },
  switch: {
    'en-US': ' <status> is a condition on a field of the event and does not switch a rule on or off.',
    'pt-BR': ' <status> é uma condição sobre um campo do evento e não liga nem desliga uma regra.',
  },
  unset: { 'en-US': ' No decoder of this event sets it.', 'pt-BR': ' Nenhum decoder deste evento o preenche.' },
  spaced: {
    'en-US': ' It would match without the white space around its text: line breaks and indentation of an element belong to the pattern.',
    'pt-BR': ' Ela casaria sem o espaço em branco em volta do texto: quebras de linha e recuo de um elemento fazem parte do padrão.',
  },
  mistyped: { 'en-US': '', 'pt-BR': '' },
  other: { 'en-US': '', 'pt-BR': '' },
}
