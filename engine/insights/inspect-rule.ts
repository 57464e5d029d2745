/** What an event meets of a rule: each condition of the rules on the way to it. */
import type { InspectedCondition, InspectedItem, Inspection } from '../records/records.js'
import { neededEvents } from '../match/history.js'
import type { CompiledRule, RuleNode } from '../rules/compiled-rule.js'
import type { Condition } from '../rules/condition.js'
import type { RuleFailure } from '../rules/recorder.js'
import { fromByteString } from '../source/byte-string.js'
import { historyTag, writtenCondition } from '../trace/rule-details.js'
import { cutText } from '../trace/text.js'
import { ConditionStates, patternFindings, textFindings, UNTESTED } from './inspect-condition.js'
import { nearestPath, type RunResults, runResults } from './nearest-path.js'
import { findOvertaker } from './overtaker.js'
import type { TracedRun } from './tip.js'

export function inspectRule(run: TracedRun, rule: CompiledRule): Inspection {
  const results = runResults(run)
  const { nodes, held, failure } = nearestPath(run, rule, results)
  // The first rule that another one kept from being tried.
  const untried = nodes.findIndex((node) => !results.has(node.rule))
  const tested = failure === null && untried >= 0 ? untried : held + 1
  const overtaken = failure === null && untried >= 0 ? findOvertaker(run, nodes, (tried) => results.get(tried)) : null
  return {
    kind: 'rule',
    name: String(rule.id),
    path: nodes.map((node, index) => inspectNode(run, node, index, results, index < tested)),
    taken_by: overtaken === null ? null : String(overtaken.winner.id),
  }
}

function inspectNode(run: TracedRun, { rule }: RuleNode, index: number, results: RunResults, isTested: boolean): InspectedItem {
  const states = new ConditionStates(isTested)
  const conditions = [...conditionsOf(run, rule, index === 0, results.get(rule), states)]
  const { source, span } = rule.definition
  const state = conditions.some((condition) => condition.state === 'failed') ? 'failed' : isTested ? 'met' : 'skipped'
  return { name: String(rule.id), filename: source.filename, line: span.line, level: rule.level, state, conditions }
}

/** In the order in which `RuleMatcher` tests them. @param result of the run: undefined = not tried */
function* conditionsOf(run: TracedRun, rule: CompiledRule, isTop: boolean, result: RuleFailure | null | undefined, states: ConditionStates): Generator<InspectedCondition> {
  const { event, runner } = run
  const { evaluator } = runner
  const { definition } = rule
  if (isTop) yield { ...UNTESTED, tag: 'category', pattern: rule.category, text: event.type, ...states.next(rule.category === event.type) }
  if (rule.identity >= 0) {
    const pattern = fromByteString(definition.decodedAs?.name ?? '')
    yield { ...UNTESTED, tag: 'decoded_as', pattern, ...textFindings(event.decoder?.name), ...states.next(rule.identity === event.decoder?.identity) }
  }
  for (const condition of rule.conditions) {
    yield { ...UNTESTED, ...writtenCondition(rule, condition), ...findingsOf(run, condition), ...states.next(evaluator.passes(condition)) }
  }
  // What these find depends on the session, so only the run itself can tell.
  const resultOf = (kind: RuleFailure['kind']): boolean | null => (result === undefined || states.isClosed ? null : result?.kind !== kind)
  if (definition.checkDiff) yield { ...UNTESTED, tag: 'check_diff', ...states.next(resultOf('check_diff')) }
  if (definition.ifFts) yield { ...UNTESTED, tag: 'if_fts', ...states.next(resultOf('if_fts')) }
  for (const list of rule.lists) {
    const named = { tag: 'list', field: fromByteString(list.field), pattern: fromByteString(list.path) }
    yield { ...UNTESTED, ...named, ...textFindings(evaluator.text(list.subject)), ...states.next(evaluator.passesList(list)) }
  }
  if (rule.search !== null) {
    const needed = neededEvents(rule) + 1
    const holds = resultOf('history')
    const counted = holds === true ? needed : result?.kind === 'history' ? result.counted : null
    const pattern = cutText(definition.ifMatchedSid ?? definition.ifMatchedGroup ?? definition.ifMatchedRegex ?? '')
    yield { ...UNTESTED, tag: historyTag(rule), pattern, events: { counted, needed, timeframe: definition.timeframe }, ...states.next(holds) }
  }
}

function findingsOf({ runner: { evaluator } }: TracedRun, condition: Condition): Pick<InspectedCondition, 'text' | 'is_absent' | 'text_offset' | 'match' | 'stopped_at'> {
  const { subject, test } = condition
  // Such as the clock, which is no text.
  if (test.kind === 'event') return UNTESTED
  const text = evaluator.text(subject)
  return test.kind === 'pattern' ? patternFindings(test.expression, text, evaluator.passes(condition) !== test.negate) : textFindings(text)
}
