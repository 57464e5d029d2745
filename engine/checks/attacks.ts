/**
 * Reports PCRE2 patterns that an event can stall or blind. The search costs more than all other checks together, so it has a budget of steps, and is made for own
 * content only, or for a base that is checked alone; what the budget did not reach is said.
 */
import { Collector } from '../diagnostics/collector.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import { DecoderReporter } from '../decoders/reporter.js'
import { patternsOf } from '../decoders/options/patterns.js'
import type { Expression } from '../expressions/expression.js'
import { Pcre2Expression } from '../expressions/pcre2/compile.js'
import type { Attack } from '../redos/attack.js'
import type { Budget } from '../redos/budget.js'
import { attackOn } from '../redos/known-attacks.js'
import { describeEvent } from '../redos/describe-event.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { RuleReporter } from '../rules/reporter.js'
import type { FileScope } from '../source/source-file.js'
import type { XmlElement } from '../xml/node.js'
import { writtenPatterns } from './written-patterns.js'

/** Calls that are counted for all patterns of a ruleset: a second or two. It confirms about five attacks, and searches some hundred patterns without one. */
export const ATTACK_BUDGET = 60_000_000

const NO_NODES: ReadonlySet<never> = new Set()

interface Reporter {
  inPattern: RuleReporter['inPattern']
}

/** Returns the diagnostics of the patterns in files of these scopes. */
export function checkAttacks(ruleset: CompiledRuleset, scopes: ReadonlySet<FileScope>, budget: Budget = { left: ATTACK_BUDGET }): Diagnostic[] {
  const collector = new Collector(ruleset.files)
  const found = new Map<string, Attack | null | undefined>()
  let unsearched = 0
  let first: (() => void) | null = null
  const examine = (reporter: Reporter, expression: Expression, name: string, elements: readonly XmlElement[], groupsCount: boolean): void => {
    if (!(expression instanceof Pcre2Expression)) return
    const { pattern } = expression
    if (!found.has(pattern)) {
      const attack = attackOn(expression, budget)
      found.set(pattern, attack)
      if (attack === undefined) {
        unsearched++
        first ??= () => reporter.inPattern('regex_attacks_not_searched', elements, 0, pattern.length, { count: unsearched })
      }
    }
    const attack = found.get(pattern)
    if (attack != null) report(reporter, expression, attack, name, elements, groupsCount)
  }
  for (const rule of ruleset.rules.inOrder()) {
    if (!scopes.has(rule.definition.source.scope)) continue
    const reporter = new RuleReporter(rule, ruleset.rules, collector, NO_NODES)
    for (const { expression, name, written } of writtenPatterns(rule)) examine(reporter, expression, name, written.elements, false)
  }
  for (const definition of ruleset.decoders.definitions) {
    if (!scopes.has(definition.source.scope)) continue
    const reporter = new DecoderReporter(definition, collector)
    for (const { tag, pattern } of patternsOf(definition)) {
      const outcome = ruleset.expressions.compile(pattern.dialect, pattern.text, tag === 'regex')
      if (outcome.ok) examine(reporter, outcome.expression, tag, pattern.elements, true)
    }
  }
  ;(first as (() => void) | null)?.()
  return collector.list()
}

function report(reporter: Reporter, expression: Pcre2Expression, attack: Attack, name: string, elements: readonly XmlElement[], groupsCount: boolean): void {
  const { prefix, pump, suffix, degree, blind, stall } = attack
  const { copies, bytes } = blind ?? stall
  const { pattern } = expression
  reporter.inPattern(
    'regex_backtracking',
    elements,
    0,
    pattern.length,
    { name, event: describeEvent(attack, copies), bytes, effect: blind !== null ? BLINDS : `it takes about ${Math.round(stall.ms / 1000)} seconds` },
    { attack: { kind: blind === null ? 'stall' : 'blind', degree, prefix, pump, suffix, copies, bytes, steps: stall.steps, ms: stall.ms, pattern, groupsCount } },
  )
}

const BLINDS = 'PCRE2 gives up after ten million steps, and Wazuh takes that for no match'
