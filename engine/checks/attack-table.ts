/**
 * MITRE ATT&CK for Enterprise: technique ids with their tactics and names, and retired ids that rules still name, with their successors. Facts of the public
 * matrix, version 17, in `attack-table.json`.
 * ATT&CK is a registered trademark of The MITRE Corporation; © The MITRE Corporation, reproduced and distributed with its permission.
 */
import table from './attack-table.json' with { type: 'json' }

/** A technique or sub-technique. */
interface AttackTechnique {
  readonly name: string
  /** Tactic ids such as `TA0001`. */
  readonly tactics: readonly string[]
}

/** Tactics by id. */
export const ATTACK_TACTICS: ReadonlyMap<string, string> = new Map(Object.entries(table.tactics))
/** Techniques by id. */
export const TECHNIQUES: ReadonlyMap<string, AttackTechnique> = new Map(Object.entries(table.techniques))
const SUCCESSORS: ReadonlyMap<string, string> = new Map(Object.entries(table.successors))

/** The four-digit numbers of Enterprise techniques before sub-techniques existed. A number in this range that is missing in the table was revoked or deprecated. */
const FIRST_GENERATION = { from: 1001, to: 1223 } as const

/** Returns every technique by its id. */
export function attackTechniques(): ReadonlyMap<string, AttackTechnique> {
  return TECHNIQUES
}

/** Finds a technique by its id. */
export function findTechnique(id: string): AttackTechnique | undefined {
  return TECHNIQUES.get(id)
}

/** Returns the successor of an id that ATT&CK has retired; null when the id is current or never existed. */
export function retiredTechnique(id: string): { readonly successor: string | null } | null {
  const number = /^T(\d{4})$/.exec(id)
  if (number === null || TECHNIQUES.has(id)) return null
  if (Number(number[1]) < FIRST_GENERATION.from || Number(number[1]) > FIRST_GENERATION.to) return null
  return { successor: SUCCESSORS.get(id) ?? null }
}
