/**
 * One verdict for each rule: whether it fires, and why not. Invariants:
 *  1. each event was run again from its record before it is returned
 *  2. `shadowed` and `unreachable` are proven; `dropped` is what the loader did; without either a rule that was not fired is `unknown`
 *  3. a verdict depends on the ruleset and the rule only
 */
import type { Locale } from '../diagnostics/text.js'
import type { Conflict } from '../generate/cannot-fire.js'
import { describeConflict, unknownReason } from '../generate/reasons.js'
import { WitnessFinder } from '../generate/witnesses.js'
import { presentDiagnostic } from '../logtest/present-diagnostic.js'
import type { AuditCondition, AuditConditionCode, AuditRecord } from '../records/audit.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { CompiledRuleset, LostRule } from '../ruleset/compiled-ruleset.js'
import { fromByteString } from '../source/byte-string.js'
import { conditionsOf } from './conditions.js'
import { CONDITION_WORDS } from './words.js'

export interface AuditOptions {
  readonly locale: Locale
  /** Whether there is time for another event. */
  readonly mayGoOn: () => boolean
}

/** Judges the rules of one ruleset that loads. */
export class RuleAuditor {
  readonly #ruleset: CompiledRuleset
  readonly #locale: Locale
  readonly #finder: WitnessFinder

  constructor(ruleset: CompiledRuleset, { locale, mayGoOn }: AuditOptions) {
    this.#ruleset = ruleset
    this.#locale = locale
    this.#finder = new WitnessFinder(ruleset, { locale, near: false, mayGoOn })
  }

  audit(rule: CompiledRule): AuditRecord {
    const examined = this.#finder.examine(rule)
    switch (examined.status) {
      case 'fires': {
        const { events } = examined
        const conditions = conditionsOf(this.#ruleset.rules, this.#finder.chainOf(rule, events), this.#locale)
        return recordOf(rule, { verdict: conditions.length === 0 ? 'fires' : 'only_if', events, final_rule: String(rule.id), conditions })
      }
      case 'cannot_fire':
        return this.#cannotFire(rule, examined.conflict)
      case 'unknown': {
        const reason = unknownReason(examined.code, this.#locale)
        return examined.code === 'not_repeatable' ? recordOf(rule, { verdict: 'only_if', reason, conditions: this.#unmet('clock_or_manager') }) : recordOf(rule, { reason })
      }
    }
  }

  #cannotFire(rule: CompiledRule, conflict: Conflict): AuditRecord {
    const reason = describeConflict(conflict, this.#locale, () => null)
    switch (conflict.code) {
      case 'noalert':
        return recordOf(rule, { verdict: 'noalert', reason })
      case 'decoder_of_manager':
        return recordOf(rule, { verdict: 'only_if', reason, conditions: this.#unmet('manager_module') })
      case 'list_excludes':
        return recordOf(rule, { verdict: 'only_if', reason, conditions: this.#unmet('list_entry') })
      case 'sibling_always_first':
      case 'child_always_matches': {
        const takers = new Set(conflict.parts.flatMap((part) => (part.kind === 'taker' ? [part.rule] : [])))
        const taken = this.#finder.taken(rule, takers)
        return recordOf(rule, {
          verdict: 'shadowed',
          reason,
          shadowed_by: [...takers].map(({ id }) => String(id)),
          by_child: conflict.code === 'child_always_matches',
          events: taken?.events ?? [],
          final_rule: taken === null ? null : String(taken.final.id),
        })
      }
      default:
        return recordOf(rule, { verdict: 'unreachable', reason })
    }
  }

  #unmet(code: Extract<AuditConditionCode, 'list_entry' | 'manager_module' | 'clock_or_manager'>): AuditCondition[] {
    const { listEntry, managerModule, clockOrManager } = CONDITION_WORDS[this.#locale]
    return [{ code, text: { list_entry: listEntry, manager_module: managerModule, clock_or_manager: clockOrManager }[code] }]
  }
}

/** The verdict on a rule that the loader left out. */
export function auditLost({ id, source, line, level, description, reason }: LostRule, locale: Locale): AuditRecord {
  const told = reason === null ? null : presentDiagnostic(reason, locale)
  return {
    rule_id: String(id),
    filename: source.filename,
    line,
    level,
    description: fromByteString(description),
    ...NOTHING,
    verdict: 'dropped',
    reason: told === null ? null : { code: told.code, text: `${told.line === null ? told.filename : `${told.filename}:${told.line}`}: ${told.message}` },
  }
}

const NOTHING: Pick<AuditRecord, 'verdict' | 'shadowed_by' | 'by_child' | 'events' | 'final_rule' | 'conditions' | 'reason'> = {
  verdict: 'unknown',
  shadowed_by: null,
  by_child: false,
  events: [],
  final_rule: null,
  conditions: [],
  reason: null,
}

function recordOf({ id, level, definition }: CompiledRule, judged: Partial<typeof NOTHING>): AuditRecord {
  const { source, span, description } = definition
  return {
    rule_id: String(id),
    filename: source.filename,
    line: span.line,
    level,
    description: fromByteString(description ?? ''),
    ...NOTHING,
    ...judged,
  }
}
