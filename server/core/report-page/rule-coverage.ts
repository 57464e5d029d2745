/** Counts the rules that cases test, by file, by level and by technique of ATT&CK. */
import { attackCoverage, attackMatrix, type CoveredTactic, type RuleCatalogItem, type UncoveredItem } from '#engine-data'

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
  /** Those of the rules that a case matches. */
  readonly tested: readonly string[]
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
  const techniques = new Map<string, { readonly rules: string[]; readonly tested: string[] }>()
  for (const { filename } of dropped) files.add(filename, false)
  for (const rule of rules) {
    const covered = isCovered(rule)
    files.add(rule.source_file, covered)
    levels.add(rule.level, covered)
    for (const id of new Set(rule.attack_ids)) {
      const known = techniques.get(id) ?? { rules: [], tested: [] }
      known.rules.push(rule.rule_id)
      if (covered) known.tested.push(rule.rule_id)
      techniques.set(id, known)
    }
  }
  return {
    files: files.list().map(([filename, count]) => ({ filename, ...count })),
    levels: levels.list().map(([level, count]) => ({ level, ...count })),
    techniques: [...techniques].sort(byKey).map(([id, found]) => ({ id, ...found })),
  }
}

/** The matrix with what rules and cases there are for each technique. */
export function coveredMatrix(techniques: readonly TechniqueCoverage[]): readonly CoveredTactic[] {
  const rules = techniques.flatMap(({ id, rules: ofTechnique }) => ofTechnique.map((rule) => ({ id: rule, attack_ids: [id] })))
  return attackCoverage(attackMatrix(), rules, new Set(techniques.flatMap(({ tested }) => tested)))
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
