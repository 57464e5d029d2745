/** What two compiled rulesets of the same files must have in common, however they were compiled. */
import type { CompiledRuleset } from '#engine'
import type { RuleNode } from '../../engine/rules/compiled-rule.js'

/** Everything that a caller can tell two compiled rulesets apart by. @param diagnostics the loader's alone are found for less */
export function portrait(ruleset: CompiledRuleset, diagnostics = ruleset.diagnostics): unknown {
  const listed = (nodes: readonly RuleNode[]): unknown[] =>
    nodes.map(({ rule, children }) => [rule.id, rule.level, rule.definition.source.filename, rule.definition.span.line, listed(children)])
  return {
    hash: ruleset.hash,
    loads: ruleset.loads,
    counts: ruleset.counts,
    diagnostics: diagnostics.map(({ code, severity, scope, filename, span, evidence, params, suggestion, related, cause }) => [
      [code, severity, scope, filename, span?.line, span?.column, evidence, params, suggestion, cause?.code],
      related.map((place) => [place.filename, place.span.line]),
    ]),
    dropped: [...ruleset.dropped].map(([id, { code }]) => [id, code]).sort(),
    lost: ruleset.lost.map(({ id, source, line }) => [id, source.filename, line]),
    lossReasons: [...ruleset.lossReasons.keys()].sort(),
    awaited: [...ruleset.awaited].sort(),
    lists: [...ruleset.lists].map(([name, { entries }]) => [name, [...entries]]).sort(),
    decoders: [...ruleset.decoders.programRoots, ...ruleset.decoders.plainRoots].map(({ definition, children }) => [
      definition.name,
      children.map((child) => [child.definition.name, child.definition.source.filename, child.continues]),
    ]),
    tree: listed(ruleset.rules.top),
    placements: ruleset.rules.inOrder().map(({ id, index }) => [id, index, ruleset.rules.placements(id).map((node) => ruleset.rules.parentOf(node)?.rule.id ?? 0)]),
    matched: [...ruleset.rules.wiring.matched].sort(),
    feeds: [...ruleset.rules.wiring.feeds].sort(([a], [b]) => a - b),
    sizes: [ruleset.rules.nodeCount, ruleset.rules.feedCount, ruleset.rules.largestFrequency],
  }
}
