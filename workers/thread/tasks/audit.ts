/** Audits rules, or finds their witnesses: those of the request, or the named ones. */
import { AUDIT_VERDICTS, auditLost, type AuditRecord, type AuditVerdict, canNeverFire, RuleAuditor, WitnessFinder, type WitnessRecord } from '#engine'
import { now } from '../../shared/clock.js'
import { chosen, OWN, type RulesAnswer, type RulesTask } from './chosen-rules.js'
import { entryOf, plain, type TaskDefinition } from './context.js'

/** Its answer is a `RuleAudit`. */
export interface AuditTask extends RulesTask {
  readonly kind: 'audit'
}

/** Its answer is `RuleWitnesses`. */
export interface WitnessesTask extends RulesTask {
  readonly kind: 'witnesses'
  readonly near: boolean
}

export interface RuleAudit extends RulesAnswer {
  readonly counts: Readonly<Record<AuditVerdict, number>>
  /** Rules that can never fire. */
  readonly never: number
  /** Those to be acted on first. */
  readonly rules: readonly AuditRecord[]
}

export interface RuleWitnesses extends RulesAnswer {
  readonly counts: Readonly<Record<WitnessRecord['status'], number>>
  /** In the order of the rules. */
  readonly rules: readonly WitnessRecord[]
}

export const audit: TaskDefinition<AuditTask> = {
  run(context, { ruleIds, budgetMs, limit, locale }) {
    const { ruleset } = entryOf(context)
    const ends = now() + budgetMs
    const auditor = new RuleAuditor(ruleset, { locale, mayGoOn: () => now() < ends })
    const lost = ruleset.loads ? ruleset.lost.filter(({ id, source }) => (ruleIds === null ? source.scope === OWN : ruleIds.includes(String(id)))) : []
    const records = [...lost.map((rule) => auditLost(rule, locale)), ...chosen(context, ruleIds).map((rule) => auditor.audit(rule))]
    const counts = Object.fromEntries(AUDIT_VERDICTS.map((verdict) => [verdict, records.filter((record) => record.verdict === verdict).length])) as Record<AuditVerdict, number>
    const answer: RuleAudit = {
      loads: ruleset.loads,
      complete: isComplete(records),
      counts,
      never: records.filter(canNeverFire).length,
      rules: records.sort((a, b) => AUDIT_VERDICTS.indexOf(a.verdict) - AUDIT_VERDICTS.indexOf(b.verdict) || b.level - a.level).slice(0, limit),
    }
    return plain(answer)
  },
}

export const witnesses: TaskDefinition<WitnessesTask> = {
  run(context, { ruleIds, near, budgetMs, limit, locale }) {
    const { ruleset } = entryOf(context)
    const ends = now() + budgetMs
    const finder = new WitnessFinder(ruleset, { locale, near, mayGoOn: () => now() < ends })
    const records = chosen(context, ruleIds).map((rule) => finder.find(rule))
    const count = (status: WitnessRecord['status']): number => records.filter((record) => record.status === status).length
    const answer: RuleWitnesses = {
      loads: ruleset.loads,
      complete: isComplete(records),
      counts: { fires: count('fires'), cannot_fire: count('cannot_fire'), unknown: count('unknown') },
      rules: records.slice(0, limit),
    }
    return plain(answer)
  },
}

function isComplete(records: readonly Pick<AuditRecord, 'reason'>[]): boolean {
  return !records.some(({ reason }) => reason?.code === 'time_limit')
}
