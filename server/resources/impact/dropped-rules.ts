/** The rules that Wazuh drops silently in a content, and did not drop before, with the reason. */
import type { DiagnosticRecord, UncoveredItem } from '#workers'
import type { Measurement } from '../../projects/measure.js'

export interface DroppedRule {
  readonly rule_id: string
  readonly filename: string
  readonly line: number
  /** The diagnostic that says why; null: it is not among those that the measurement keeps. */
  readonly reason: DiagnosticRecord | null
}

type Measured = Pick<Measurement, 'untestedRules' | 'diagnostics'>

export function newlyDropped(before: Measured, after: Measured): readonly DroppedRule[] {
  const known = new Set(droppedIn(before).map(({ name }) => name))
  const dropped = droppedIn(after)
  const reasons = reasonsOf(dropped, after.diagnostics)
  return dropped.filter(({ name }) => !known.has(name)).map((rule) => ({ rule_id: rule.name, filename: rule.filename, line: rule.line, reason: reasons.get(rule) ?? null }))
}

/** No case can match a rule that is dropped, so all of them are among the untested ones. */
function droppedIn({ untestedRules }: Measured): Measured['untestedRules'] {
  return untestedRules.filter(({ dropped }) => dropped === true)
}

/** A diagnostic with which a rule is dropped is in the rule, so it belongs to the last one that begins before it. */
function reasonsOf(dropped: Measured['untestedRules'], diagnostics: readonly DiagnosticRecord[]): ReadonlyMap<UncoveredItem, DiagnosticRecord> {
  const byFile = new Map<string, UncoveredItem[]>()
  for (const rule of dropped) {
    const known = byFile.get(rule.filename)
    if (known === undefined) byFile.set(rule.filename, [rule])
    else known.push(rule)
  }
  const reasons = new Map<UncoveredItem, DiagnosticRecord>()
  for (const diagnostic of diagnostics) {
    const { line, filename, engine_effect } = diagnostic
    if (engine_effect !== 'drop' || line === null) continue
    const own = lastUpTo(byFile.get(filename) ?? [], line)
    if (own !== undefined && !reasons.has(own)) reasons.set(own, diagnostic)
  }
  return reasons
}

/** The last of the rules of a file, which are in its order, that begins at this line or before. Both may be many. */
function lastUpTo(rules: readonly UncoveredItem[], line: number): UncoveredItem | undefined {
  let [low, high] = [0, rules.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (rules[middle].line <= line) low = middle + 1
    else high = middle
  }
  return rules[low - 1]
}
