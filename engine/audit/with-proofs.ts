/** The diagnostics of a ruleset together with those that need a proof, which takes up to half a second. */
import { inOrder } from '../checks/collect-diagnostics.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { proofSteps } from './proof-diagnostics.js'

const WITH_PROOFS = new WeakMap<CompiledRuleset, readonly Diagnostic[]>()

/** The diagnostics of a ruleset with those that need a proof, in the order of the files. */
export function diagnosticsWithProofs(ruleset: CompiledRuleset): readonly Diagnostic[] {
  const steps = stepsWithProofs(ruleset)
  let step = steps.next()
  while (step.done !== true) step = steps.next()
  return step.value
}

/** The same with a pause after each rule, so that the caller can do other work or stop. */
export function* stepsWithProofs(ruleset: CompiledRuleset): Generator<void, readonly Diagnostic[]> {
  const known = WITH_PROOFS.get(ruleset)
  if (known !== undefined) return known
  const { diagnostics } = ruleset
  const proven = yield* proofSteps(ruleset, diagnostics)
  const found = proven.length === 0 ? diagnostics : inOrder(ruleset, [...diagnostics, ...proven])
  WITH_PROOFS.set(ruleset, found)
  return found
}
