/** Which techniques of MITRE ATT&CK rules detect, and which of those cases test. */
import type { AttackTactic } from '../records/records.js'

export type TechniqueState = 'none' | 'rules' | 'cases'

export interface CoveredTechnique {
  readonly id: string
  readonly name: string
  readonly state: TechniqueState
  /** Rules with the technique or one of its sub-techniques, each once. */
  readonly rules: readonly string[]
  /** Number of those that a case covers. */
  readonly tested: number
  /** Ids of its sub-techniques that rules name. */
  readonly subTechniques: readonly string[]
}

export interface CoveredTactic {
  readonly id: string
  readonly name: string
  /** Without sub-techniques, whose rules count for their technique. */
  readonly techniques: readonly CoveredTechnique[]
  /** Number of techniques with rules. */
  readonly covered: number
}

/** A rule with the techniques that it names. */
interface TaggedRule {
  readonly id: string
  readonly attack_ids: readonly string[]
}

/** @param tactics `attackMatrix()` @param tested ids of the rules that cases cover; null: it is not known */
export function attackCoverage(tactics: readonly AttackTactic[], rules: Iterable<TaggedRule>, tested: ReadonlySet<string> | null): readonly CoveredTactic[] {
  const byTechnique = new Map<string, { readonly rules: Set<string>; readonly subTechniques: Set<string> }>()
  for (const { id, attack_ids: techniques } of rules) {
    for (const technique of techniques) {
      const [main] = technique.split('.')
      const known = byTechnique.get(main) ?? { rules: new Set<string>(), subTechniques: new Set<string>() }
      known.rules.add(id)
      if (technique !== main) known.subTechniques.add(technique)
      byTechnique.set(main, known)
    }
  }
  return tactics.map(({ id, name, techniques }) => {
    const covered = techniques.filter((technique) => !technique.id.includes('.')).map((technique) => coverageOf(technique, byTechnique.get(technique.id), tested))
    return { id, name, techniques: covered, covered: covered.filter(({ state }) => state !== 'none').length }
  })
}

function coverageOf(
  { id, name }: AttackTactic['techniques'][number],
  found: { readonly rules: ReadonlySet<string>; readonly subTechniques: ReadonlySet<string> } | undefined,
  tested: ReadonlySet<string> | null,
): CoveredTechnique {
  const rules = [...(found?.rules ?? [])]
  const count = rules.filter((rule) => tested?.has(rule) === true).length
  return { id, name, rules, tested: count, state: rules.length === 0 ? 'none' : count > 0 ? 'cases' : 'rules', subTechniques: [...(found?.subTechniques ?? [])].sort() }
}
