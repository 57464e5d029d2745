/** The audit of the rules that are edited, a part at a time. It is loaded when somebody opens the view. */
import { auditLost, type AuditRecord, type CompiledRuleset, type Locale, RuleAuditor } from '#engine'
import { now } from '#in-thread'
import { AUDIT_RULE_MS, AUDIT_RULES, AUDIT_SLICE_MS } from './limits.js'
import type { AuditPart } from './protocol.js'

/** The audit of one ruleset, in one language. */
export class AuditRun {
  readonly #judges: readonly (() => AuditRecord)[]
  readonly #more: number

  constructor(
    readonly ruleset: CompiledRuleset,
    readonly locale: Locale,
  ) {
    let ends = 0
    const auditor = new RuleAuditor(ruleset, { locale, mayGoOn: () => now() < ends })
    const rules = ruleset.rules.inOrder().filter(({ definition }) => definition.source.scope === 'custom')
    const lost = ruleset.lost.filter(({ source }) => source.scope === 'custom')
    const all = [
      ...lost.map((rule) => () => auditLost(rule, locale)),
      ...rules.map((rule) => () => {
        ends = now() + AUDIT_RULE_MS
        return auditor.audit(rule)
      }),
    ]
    // Nothing is tried unless Wazuh would start.
    this.#judges = ruleset.loads ? all.slice(0, AUDIT_RULES) : []
    this.#more = ruleset.loads ? all.length - this.#judges.length : 0
  }

  /** Judges rules for a slice of time, at least one. @param from number of the rules that are judged */
  part(from: number): AuditPart {
    const records: AuditRecord[] = []
    const sliceEnd = now() + AUDIT_SLICE_MS
    for (const judge of this.#judges.slice(from)) {
      records.push(judge())
      if (now() >= sliceEnd) break
    }
    return { loads: this.ruleset.loads, total: this.#judges.length, more: this.#more, records }
  }
}
