/** What an event leaves in a session when it ends in a rule (BEHAVIOUR.md#ignore, #event-memory, #histories). */
import type { CompiledRule } from '../rules/compiled-rule.js'
import type { RuleTree } from '../rules/tree.js'
import { appendGroupHistory, appendRuleHistory, remember, type Session, type StoredEvent } from './session.js'

/** Counts a final answer of a rule. @returns how many there are, with this one */
export function countFinal({ fired }: Session, { index }: CompiledRule): number {
  const times = (fired.get(index) ?? 0) + 1
  fired.set(index, times)
  return times
}

/** Whether an event that ends in the rule is stored: not at level 0, and not inside of the rule's `ignore` window. @param received seconds since the epoch */
export function isStored({ silenced }: Session, { index, level, definition: { ignore } }: CompiledRule, received: number): boolean {
  if (level === 0) return false
  if (ignore === 0) return true
  const since = silenced.get(index)
  if (since === undefined) silenced.set(index, received)
  else if (received - since < ignore) return false
  // Quirk: the end of the window only clears the timer, so the next event passes too and starts it.
  else silenced.delete(index)
  return true
}

/** Adds an event to the memory, and to the histories that its rule feeds. */
export function storeEvent(session: Session, { wiring, largestFrequency }: RuleTree, { index }: CompiledRule, stored: StoredEvent): void {
  remember(session, stored, largestFrequency)
  if (wiring.matched.has(index)) appendRuleHistory(session, index, stored)
  else for (const { composite, times } of wiring.feeds.get(index) ?? []) appendGroupHistory(session, composite, stored, times)
}
