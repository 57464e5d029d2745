/** MITRE ATT&CK as a matrix: the tactics in the order of an attack, with their techniques. */
import { ATTACK_TACTICS, TECHNIQUES } from '../checks/attack-table.js'
import type { AttackTactic } from '../records/records.js'

const ORDER = ['TA0043', 'TA0042', 'TA0001', 'TA0002', 'TA0003', 'TA0004', 'TA0005', 'TA0006', 'TA0007', 'TA0008', 'TA0009', 'TA0011', 'TA0010', 'TA0040']

/** Returns the tactics with their techniques; sub-techniques follow their technique. */
export function attackMatrix(): readonly AttackTactic[] {
  const techniques = Array.from(TECHNIQUES, ([id, { name, tactics }]) => ({ id, name, tactics }))
  return ORDER.map((id) => ({
    id,
    name: ATTACK_TACTICS.get(id) ?? id,
    techniques: techniques.filter(({ tactics }) => tactics.includes(id)).map(({ id: technique, name }) => ({ id: technique, name })),
  }))
}
