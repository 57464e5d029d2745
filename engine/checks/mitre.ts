/** Checks the techniques that a rule names against the ATT&CK matrix (BEHAVIOUR.md#mitre). */
import { ATTACK_TACTICS, findTechnique, retiredTechnique } from './attack-table.js'
import type { CheckContext } from './context.js'
import type { RuleReporter } from '../rules/reporter.js'
import { elementsOf } from '../xml/definition-reporter.js'

/** Minimum level of alerts that are mailed by default. A rule of this level probably detects an attack. */
const LEVEL_OF_ATTACKS = 12

const SHAPE = /^T[0-9]{4}(?:\.[0-9]{3})?$/

export function checkMitre(reporter: RuleReporter, { scope }: CheckContext): void {
  const { definition, level, mitreIds } = reporter.rule
  // Not for shipped rules: many of them are older than ATT&CK.
  if (mitreIds.length === 0 && scope !== 'default' && level >= LEVEL_OF_ATTACKS && definition.isSure('mitre', 'level') && !definition.places.has('mitre'))
    reporter.atAttribute('mitre_missing', 'level', { level })
  const pairs = definition.mitre.form === 'pairs' ? definition.mitre.pairs : []
  for (const block of elementsOf(reporter.owner, 'mitre')) {
    let tactic: string | null = null
    for (const child of block.children) {
      const name = child.name.toLowerCase()
      if (name === 'tacticid') tactic = child.content
      else if ((name === 'id' || name === 'techniqueid') && child.content !== '') checkId(reporter, child.content, child)
    }
    const technique = block.children.find((child) => child.name.toLowerCase() === 'techniqueid')
    const known = technique === undefined ? undefined : findTechnique(technique.content)
    if (technique === undefined || tactic === null || known === undefined || known.tactics.includes(tactic)) continue
    // A pair that is not there belongs to a block that was dropped.
    if (!pairs.some((pair) => pair.tactic === tactic && pair.technique === technique.content)) continue
    reporter.report('mitre_tactic_mismatch', technique, { technique: technique.content, tactic: ATTACK_TACTICS.has(tactic) ? `${tactic} (${ATTACK_TACTICS.get(tactic)})` : tactic })
  }
}

/** Checks the form of an id. A well-formed id that is not in the table may be newer than the table. */
function checkId(reporter: RuleReporter, value: string, element: RuleReporter['owner']): void {
  if (findTechnique(value) !== undefined) return
  const retired = retiredTechnique(value)
  if (retired !== null)
    reporter.report('mitre_technique_deprecated', element, { value, state: retired.successor === null ? 'revoked or deprecated' : 'revoked' }, { suggestion: retired.successor })
  else if (!SHAPE.test(value)) reporter.report('mitre_id_invalid', element, { value }, { suggestion: repaired(value) })
}

/** The technique that was meant, if only the notation is wrong. */
function repaired(value: string): string | null {
  const digits = /^\s*[tT]?\s*([0-9]{4})(?:[./]([0-9]{1,3}))?\s*$/.exec(value)
  if (digits === null) return null
  const id = digits[2] === undefined ? `T${digits[1]}` : `T${digits[1]}.${digits[2].padStart(3, '0')}`
  return findTechnique(id) === undefined ? null : id
}
