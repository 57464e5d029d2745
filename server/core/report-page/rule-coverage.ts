/** Which rules cases test, by file, by level and by technique of ATT&CK. */
import { attackMatrix } from '#engine-data'
import type { RuleCatalogItem, UncoveredItem } from '#engine-data'

/** Levels of rules, from 0. */
export const LEVELS = 17

export interface CoveredCount {
  readonly total: number
  /** How many of them a case matches. */
  readonly covered: number
}

export interface FileCoverage extends CoveredCount {
  readonly filename: string
}

export interface LevelCoverage extends CoveredCount {
  readonly level: number
}

export interface TechniqueCoverage {
  readonly id: string
  readonly rules: readonly string[]
  /** How many of the rules a case matches. */
  readonly covered: number
}

export interface RuleCoverage {
  /** Files with rules, including those that Wazuh drops, by name. */
  readonly files: readonly FileCoverage[]
  /** Levels that have loaded rules, in ascending order. */
  readonly levels: readonly LevelCoverage[]
  /** Techniques of loaded rules, by id. */
  readonly techniques: readonly TechniqueCoverage[]
}

/** @param rules loaded ones @param untested those of them that no case matches, and those that Wazuh drops */
export function ruleCoverage(rules: readonly Pick<RuleCatalogItem, 'rule_id' | 'level' | 'attack_ids' | 'source_file'>[], untested: readonly UncoveredItem[]): RuleCoverage {
  const dropped = untested.filter((item) => item.dropped === true)
  const without = new Set(untested.filter((item) => item.dropped !== true).map(({ name }) => name))
  const isCovered = (rule: { readonly rule_id: string }): boolean => !without.has(rule.rule_id)
  const files = new Tally<string>()
  const levels = new Tally<number>()
  const techniques = new Map<string, { readonly rules: string[]; covered: number }>()
  for (const { filename } of dropped) files.add(filename, false)
  for (const rule of rules) {
    const covered = isCovered(rule)
    files.add(rule.source_file, covered)
    levels.add(rule.level, covered)
    for (const id of new Set(rule.attack_ids)) {
      const known = techniques.get(id) ?? { rules: [], covered: 0 }
      known.rules.push(rule.rule_id)
      if (covered) known.covered++
      techniques.set(id, known)
    }
  }
  return {
    files: files.list().map(([filename, count]) => ({ filename, ...count })),
    levels: levels.list().map(([level, count]) => ({ level, ...count })),
    techniques: [...techniques].sort(byKey).map(([id, found]) => ({ id, ...found })),
  }
}

interface CoveredTactic {
  readonly name: string
  /** Without sub-techniques, whose rules count for their technique. */
  readonly techniques: readonly { readonly id: string; readonly name: string; readonly rules: number; readonly covered: number }[]
}

/** The matrix with what rules and cases there are for each technique. */
export function coveredMatrix(techniques: readonly TechniqueCoverage[]): readonly CoveredTactic[] {
  const found = new Map<string, { rules: number; covered: number }>()
  for (const { id, rules, covered } of techniques) {
    const [main] = id.split('.')
    const known = found.get(main) ?? { rules: 0, covered: 0 }
    known.rules += rules.length
    known.covered += covered
    found.set(main, known)
  }
  return attackMatrix().map((tactic) => ({
    name: tactic.name,
    techniques: tactic.techniques.filter(({ id }) => !id.includes('.')).map((technique) => ({ ...technique, ...(found.get(technique.id) ?? { rules: 0, covered: 0 }) })),
  }))
}

/** Names of techniques by id. */
export function techniqueNames(): ReadonlyMap<string, string> {
  return new Map(attackMatrix().flatMap(({ techniques }) => techniques.map(({ id, name }) => [id, name] as const)))
}

/** Counts by key. */
class Tally<Key extends string | number> {
  readonly #counts = new Map<Key, { total: number; covered: number }>()

  add(key: Key, isCovered: boolean): void {
    const count = this.#counts.get(key) ?? { total: 0, covered: 0 }
    count.total++
    if (isCovered) count.covered++
    this.#counts.set(key, count)
  }

  list(): [Key, CoveredCount][] {
    return [...this.#counts].sort(byKey)
  }
}

function byKey<Key extends string | number>([a]: readonly [Key, unknown], [b]: readonly [Key, unknown]): number {
  return a < b ? -1 : 1
}
