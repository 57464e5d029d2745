/**
 * The way of an event, as its trace tells it. A trace is a list: the rules that follow a rule that matched are its children, until one of them matches, and so on.
 * Only a rule with noalert="1" gives the event back if none of its children matches; then the rules after them are again its siblings.
 */
import type { LogtestReport, MatchedRuleRecord, RuleGraphNode, TraceEntry } from '#engine'

export interface Capture {
  readonly name: string
  readonly value: string
  /** Where it begins in the log. */
  readonly at: number
}

/** A rule or decoder that was tried. */
export interface Step {
  readonly name: string
  readonly filename: string | null
  readonly line: number | null
  readonly matched: boolean
  /** The tag that decided; null: everything in it matched. */
  readonly tag: string | null
  readonly field: string | null
  readonly pattern: string
  readonly negate: boolean
  /** Null: the event has no such text, or the tag tests none. */
  readonly text: string | null
  /** What an expression of a decoder captured. */
  readonly captures: readonly Capture[]
  /** For a rule that counts. */
  readonly events: { readonly counted: number; readonly needed: number; readonly seconds: number } | null
}

export interface DecoderWay {
  readonly rejectedRoots: readonly Step[]
  readonly root: Step | null
  readonly rejectedChildren: readonly Step[]
  /** The child that was entered; null: none, or the root has none. */
  readonly child: Step | null
  /** Expressions and plugins that ran, in order. */
  readonly extractions: readonly Step[]
}

/** A level of the rule tree: the rules that were tried, and the one that matched. */
export interface RuleLevel {
  readonly rejected: readonly Step[]
  readonly taken: TakenRule | null
}

export interface TakenRule {
  readonly step: Step
  readonly record: MatchedRuleRecord | null
  /** Whether it is the answer. */
  readonly isFinal: boolean
  /** Whether it gave the event back: a container of which no child matched. */
  readonly isLeft: boolean
  readonly below: readonly RuleLevel[]
}

export interface Way {
  readonly header: { readonly form: string; readonly isFound: boolean; readonly log: string }
  readonly decoders: DecoderWay
  /** A level that follows another one was reached after a container gave the event back. */
  readonly rules: readonly RuleLevel[]
  readonly tried: { readonly decoders: number; readonly rules: number }
}

/** @param rules of the ruleset by id, which tell the parents of rules after a container; null: unknown */
export function wayOf({ trace, rule, matched_rules: matched }: LogtestReport, rules: ReadonlyMap<string, RuleGraphNode> | null = null): Way {
  const header = trace.find(({ phase }) => phase === 'predecode')
  const decoderSteps = trace.filter(({ phase }) => phase === 'decode').map(stepOf)
  const ruleSteps = trace.filter(({ phase }) => phase === 'rule').map(stepOf)
  return {
    header: { form: header?.name ?? 'none', isFound: header?.matched === true, log: textOf(header?.details.log) ?? '' },
    decoders: decoderWay(decoderSteps),
    rules: new RuleLevels(ruleSteps, rule?.id ?? null, matched, rules).read(),
    tried: { decoders: new Set(decoderSteps.map(({ name, filename, line }) => `${filename}:${line}:${name}`)).size, rules: ruleSteps.length },
  }
}

function decoderWay(steps: readonly Step[]): DecoderWay {
  const rejectedRoots: Step[] = []
  const rejectedChildren: Step[] = []
  const extractions: Step[] = []
  let root: Step | null = null
  let child: Step | null = null
  for (const step of steps) {
    if (root === null) {
      if (step.matched) root = step
      else rejectedRoots.push(step)
    } else if (step.tag === 'regex' || step.tag === 'plugin_decoder') extractions.push(step)
    else if (step.matched) child = step
    else rejectedChildren.push(step)
  }
  return { rejectedRoots, root, rejectedChildren, child, extractions }
}

class RuleLevels {
  #next = 0

  constructor(
    readonly steps: readonly Step[],
    readonly final: string | null,
    readonly matched: readonly MatchedRuleRecord[],
    readonly rules: ReadonlyMap<string, RuleGraphNode> | null,
  ) {}

  read(): readonly RuleLevel[] {
    return this.#levels(null)
  }

  /** @param parent whose children are read; null: the rules at the top */
  #levels(parent: string | null): readonly RuleLevel[] {
    const levels: RuleLevel[] = []
    let rejected: Step[] = []
    while (this.#next < this.steps.length && this.#isChild(this.steps[this.#next].name, parent)) {
      const step = this.steps[this.#next++]
      if (!step.matched) {
        rejected.push(step)
        continue
      }
      levels.push({ rejected, taken: this.#taken(step) })
      rejected = []
    }
    if (rejected.length > 0) levels.push({ rejected, taken: null })
    return levels
  }

  #taken(step: Step): TakenRule {
    const below = this.#levels(step.name)
    const isFinal = step.name === this.final && this.#next >= this.steps.length
    return { step, record: this.matched.find(({ id }) => id === step.name) ?? null, isFinal, isLeft: !isFinal && below.every(({ taken }) => taken === null || taken.isLeft), below }
  }

  /** Without the rules, what follows a rule is taken as its child. */
  #isChild(id: string, parent: string | null): boolean {
    const rule = this.rules?.get(id)
    return rule === undefined || parent === null || rule.links.some((link) => link.id === parent)
  }
}

function stepOf({ name, matched, details, filename, line }: TraceEntry): Step {
  const tag = textOf(details.condition)
  const { counted, needed, timeframe } = details
  return {
    name,
    filename: filename ?? null,
    line: line ?? null,
    matched,
    tag,
    field: textOf(details.field),
    pattern: textOf(details.pattern) ?? textOf(details.expected) ?? textOf(details.list) ?? textOf(details.plugin) ?? '',
    negate: details.negate === true,
    text: textOf(details.text) ?? textOf(details.actual),
    captures: Array.isArray(details.captures) ? (details.captures as Capture[]) : [],
    events: typeof counted === 'number' && typeof needed === 'number' && typeof timeframe === 'number' ? { counted, needed, seconds: timeframe } : null,
  }
}

function textOf(value: unknown): string | null {
  return typeof value === 'string' ? value : null
}
