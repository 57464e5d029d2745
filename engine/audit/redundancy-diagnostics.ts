/**
 * Diagnostics of what decides nothing: conditions that hold wherever others do, and alternatives of patterns. Each is proven, within a number of steps, and only own content
 * is examined.
 */
import { elementOf } from '../checks/reachability.js'
import { writtenPatterns } from '../checks/written-patterns.js'
import { readsBehind } from '../decoders/reads-behind.js'
import { DecoderReporter } from '../decoders/reporter.js'
import type { DiagnosticCode } from '../diagnostics/codes.js'
import type { Collector } from '../diagnostics/collector.js'
import type { Diagnostic } from '../diagnostics/diagnostic.js'
import type { CompiledDecoder } from '../event/decoder.js'
import type { Expression } from '../expressions/expression.js'
import { OsMatchExpression } from '../expressions/osmatch/osmatch.js'
import { OsRegexExpression } from '../expressions/osregex/osregex.js'
import { Pcre2Expression } from '../expressions/pcre2/compile.js'
import { BoundPrograms, Bounds } from '../generate/exclusion.js'
import { type IdleAlternative, idleAlternatives } from '../generate/idle-alternatives.js'
import { impliedConditions } from '../generate/implied-conditions.js'
import { listParts } from '../generate/reasons.js'
import type { CompiledRule } from '../rules/compiled-rule.js'
import { pathTo } from '../rules/placement-path.js'
import type { RuleReporter } from '../rules/reporter.js'
import type { CompiledRuleset } from '../ruleset/compiled-ruleset.js'
import { fromByteString } from '../source/byte-string.js'
import { type DefinitionReporter, placeOf } from '../xml/definition-reporter.js'
import type { XmlElement } from '../xml/node.js'

/** Steps of all proofs of a ruleset, and of one. */
export const REDUNDANCY_STEPS = 600_000
const PROOF_STEPS = 20_000
/** Placements of a rule that are compared; of a rule with more nothing is said. */
const PLACEMENTS_LIMIT = 16
/** Places of other rules that are named. */
const RELATED_LIMIT = 4

/** Characters of another alternative that are shown. */
const ALTERNATIVE_CHARACTERS = 100

/** Diagnostics that say already why an alternative decides nothing. */
const SAID: ReadonlySet<DiagnosticCode> = new Set<DiagnosticCode>(['regex_case_redundant', 'regex_never_matches', 'regex_non_ascii', 'rule_condition_always_true'])

export class RedundancyFinder {
  readonly #ruleset: CompiledRuleset
  readonly #collector: Collector
  readonly #programs = new BoundPrograms()
  readonly #idle = new Map<Expression, readonly IdleAlternative[]>()
  #patternSteps = 0

  constructor(ruleset: CompiledRuleset, collector: Collector) {
    this.#ruleset = ruleset
    this.#collector = collector
  }

  /** Steps of all proofs so far. */
  get steps(): number {
    return this.#programs.steps + this.#patternSteps
  }

  /** Whether nothing more is examined. */
  get isExhausted(): boolean {
    return this.steps > REDUNDANCY_STEPS
  }

  /** @param hasEvents whether no proof says that the rule never fires */
  examineRule(reporter: RuleReporter, hasEvents: boolean): void {
    if (this.isExhausted) return
    const { rule, nodes } = reporter
    for (const { expression, name, written } of writtenPatterns(rule)) this.#reportIdle(reporter, expression, name, written.elements)
    if (!hasEvents || nodes.length === 0 || nodes.length > PLACEMENTS_LIMIT) return
    const paths = nodes.map((node) =>
      pathTo(this.#ruleset.rules, node)
        .map((each) => each.rule)
        .slice(0, -1),
    )
    for (const { condition, by } of impliedConditions(new Bounds(this.#programs, PROOF_STEPS), rule, paths)) {
      const others = new Set(by.map((part) => part.rule))
      others.delete(rule)
      const related = [...others].slice(0, RELATED_LIMIT).map(({ definition }: CompiledRule) => placeOf(definition))
      const reason = {
        'en-US': `what passes ${listParts(by, 'en-US')} passes it as well`,
        'pt-BR': `o que passa em ${listParts(by, 'pt-BR')} também passa nela`,
      }
      reporter.report('rule_condition_redundant', elementOf(reporter, condition), { tag: condition.option.name, reason }, { related })
    }
  }

  /** Patterns of which only counts whether they match: not those whose groups are fields, or behind whose match another one begins. */
  examineDecoder(decoder: CompiledDecoder): void {
    if (this.isExhausted) return
    const { definition, programName, prematch } = decoder
    const reporter = new DecoderReporter(definition, this.#collector)
    if (programName !== null && definition.programName !== null) this.#reportIdle(reporter, programName, 'program_name', definition.programName.elements)
    if (prematch !== null && definition.prematch !== null && !hasGroups(prematch) && !readsBehind(decoder))
      this.#reportIdle(reporter, prematch, 'prematch', definition.prematch.elements)
  }

  #reportIdle(reporter: DefinitionReporter, expression: Expression, name: string, elements: readonly XmlElement[]): void {
    let idle = this.#idle.get(expression)
    if (idle === undefined) {
      const { found, steps } = idleAlternatives(expression)
      this.#patternSteps += steps
      this.#idle.set(expression, (idle = found))
    }
    for (const { start, end, other } of idle) {
      const shown = other === null ? null : shortened(fromByteString(other))
      const reason = {
        'en-US': shown === null ? 'the pattern accepts the same texts without it' : `every text that has it has "${shown}" as well`,
        'pt-BR': shown === null ? 'o padrão aceita os mesmos textos sem ela' : `todo texto que a tem também tem "${shown}"`,
      }
      reporter.inPattern('regex_idle_alternative', elements, start, end, { name, value: expression.pattern.slice(start, end), reason })
    }
  }
}

/** Whether another diagnostic at the same place already says why it decides nothing. */
export function isSaidAlready({ code, filename, kind, scope, span }: Diagnostic, known: readonly Diagnostic[]): boolean {
  if (code !== 'regex_idle_alternative' || span === null) return false
  const isHere = (other: Diagnostic): boolean => other.filename === filename && other.kind === kind && other.scope === scope
  return known.some((other) => SAID.has(other.code) && isHere(other) && other.span !== null && span.start < other.span.end && other.span.start < span.end)
}

function shortened(text: string): string {
  return text.length > ALTERNATIVE_CHARACTERS ? `${text.slice(0, ALTERNATIVE_CHARACTERS)}…` : text
}

function hasGroups(expression: Expression): boolean {
  if (expression instanceof OsRegexExpression || expression instanceof Pcre2Expression) return expression.groupCount > 0
  return !(expression instanceof OsMatchExpression)
}
