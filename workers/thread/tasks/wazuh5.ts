/** Says what happens to rules in Wazuh 5: those of the request, or the named ones. */
import { SIGMA_VERDICTS, SigmaConverter, type SigmaRecord, type SigmaVerdict } from '#engine'
import { now } from '../../shared/clock.js'
import { chosen, type RulesAnswer, type RulesTask } from './chosen-rules.js'
import { entryOf, plain, type TaskDefinition } from './context.js'

/** Its answer is `RulesInWazuh5`. */
export interface Wazuh5Task extends RulesTask {
  readonly kind: 'wazuh5'
}

export interface RulesInWazuh5 extends RulesAnswer {
  readonly counts: Readonly<Record<SigmaVerdict, number>>
  /** Rules without a verdict, because the time was over. */
  readonly untried: number
  /** In the order of the rules. */
  readonly rules: readonly SigmaRecord[]
}

/** Verdicts and texts need no search, so they go on when that for events is over: for as long again as half of it took. */
const TEXTS_SHARE = 1.5
/** Characters of the records of an answer as JSON: some thousand rules of usual size. */
const ANSWER_CHARACTERS = 4 * 1024 * 1024

export const wazuh5: TaskDefinition<Wazuh5Task> = {
  run(context, { ruleIds, budgetMs, limit, locale }) {
    const { ruleset } = entryOf(context)
    const begun = now()
    let isOver = false
    const converter = new SigmaConverter(ruleset, { locale, mayGoOn: () => !(isOver ||= now() - begun >= budgetMs) })
    const rules = chosen(context, ruleIds)
    const counts = Object.fromEntries(SIGMA_VERDICTS.map((verdict) => [verdict, 0])) as Record<SigmaVerdict, number>
    const records: SigmaRecord[] = []
    let left = ANSWER_CHARACTERS
    let tried = 0
    while (tried < rules.length && now() - begun < budgetMs * TEXTS_SHARE) {
      const record = converter.convert(rules[tried++])
      counts[record.verdict]++
      if (records.length >= limit || left <= 0) continue
      left -= JSON.stringify(record).length
      if (left > 0) records.push(record)
    }
    const answer: RulesInWazuh5 = { loads: ruleset.loads, complete: !isOver && tried === rules.length, counts, untried: rules.length - tried, rules: records }
    return plain(answer)
  },
}
