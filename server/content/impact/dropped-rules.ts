/** The rules that Wazuh drops silently in a content, and did not drop before, with the reason. */
import type { DiagnosticRecord, UncoveredItem } from '#workers'
import type { Measurement } from '../shared/measure.js'

export interface DroppedRule {
  readonly rule_id: string
  readonly filename: string
  readonly line: number
  /** The diagnostic that says why; null: it is not known. */
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

/**
 * Finds the diagnostic of each dropped rule. It is inside the rule, so it belongs to the last dropped rule that begins before it. Rules on the same line are told
 * apart by the order of their diagnostics, if each rule has one. Otherwise they get no reason, because it could be that of another rule.
 */
function reasonsOf(dropped: Measured['untestedRules'], diagnostics: readonly DiagnosticRecord[]): ReadonlyMap<UncoveredItem, DiagnosticRecord> {
  const byFile = new Map<string, Line[]>()
  // Rules are dropped at several stages, not in the order of the file.
  for (const rule of dropped.toSorted((a, b) => a.line - b.line)) {
    const lines = byFile.get(rule.filename) ?? []
    const last = lines.at(-1)
    if (last?.line === rule.line) last.rules.push(rule)
    else lines.push({ line: rule.line, rules: [rule], diagnostics: [] })
    byFile.set(rule.filename, lines)
  }
  for (const diagnostic of diagnostics) {
    const { line, filename, engine_effect } = diagnostic
    if (engine_effect === 'drop' && line !== null) lastUpTo(byFile.get(filename) ?? [], line)?.diagnostics.push(diagnostic)
  }
  const reasons = new Map<UncoveredItem, DiagnosticRecord>()
  for (const { rules, diagnostics: own } of [...byFile.values()].flat()) {
    if (rules.length > 1 && rules.length !== own.length) continue
    own.sort((a, b) => a.line! - b.line! || (a.column ?? 0) - (b.column ?? 0))
    rules.forEach((rule, at) => own[at] !== undefined && reasons.set(rule, own[at]))
  }
  return reasons
}

/** The dropped rules that begin on a line of a file, and the diagnostics from there to the next of these lines. */
interface Line {
  readonly line: number
  readonly rules: UncoveredItem[]
  readonly diagnostics: DiagnosticRecord[]
}

/** The last of the lines of a file, which are in order, up to this one. Both may be many. */
function lastUpTo(lines: readonly Line[], line: number): Line | undefined {
  let [low, high] = [0, lines.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (lines[middle].line <= line) low = middle + 1
    else high = middle
  }
  return lines[low - 1]
}
