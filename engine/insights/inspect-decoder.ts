/** What an event meets of a decoder: the conditions of its root, and its own. */
import type { DecoderStep } from '../trace/trace-recorder.js'
import type { CompiledDecoder } from '../event/decoder.js'
import type { ConditionState, InspectedCondition, InspectedItem, Inspection } from '../records/records.js'
import { foldCase, fromByteString } from '../source/byte-string.js'
import { cutText } from '../trace/text.js'
import { afterPrematch } from './after-prematch.js'
import { ConditionStates, patternFindings, textFindings, UNTESTED } from './inspect-condition.js'
import type { TracedRun } from './tip.js'

/** Which of several decoders of a name is meant. */
export interface DecoderPlace {
  readonly name: string
  readonly filename?: string
  readonly line?: number
}

/** A decoder, and the family that runs with it. */
interface Way {
  readonly root: CompiledDecoder
  /** Empty: the root itself is meant. */
  readonly family: readonly CompiledDecoder[]
}

/** @param place names are Unicode */
export function inspectDecoder(run: TracedRun, place: DecoderPlace): Inspection {
  const { programRoots, plainRoots } = run.runner.ruleset.decoders
  const inspector = new DecoderInspector(run)
  let best: { readonly path: readonly InspectedItem[]; readonly rank: number } | null = null
  for (const root of [...programRoots, ...plainRoots]) {
    for (const way of waysTo(root, place)) {
      const path = inspector.inspect(way)
      const rank = rankOf(path)
      if (best === null || rank > best.rank) best = { path, rank }
    }
  }
  const path = best?.path ?? []
  return { kind: 'decoder', name: place.name, path, taken_by: inspector.takerOf(path) }
}

function* waysTo(root: CompiledDecoder, place: DecoderPlace): Generator<Way> {
  if (isAt(root, place)) yield { root, family: [] }
  const { children } = root
  for (let i = 0; i < children.length; i++) {
    let end = i
    while (end + 1 < children.length && children[end].continues) end++
    const family = children.slice(i, end + 1)
    if (family.some((member) => isAt(member, place))) yield { root, family }
    i = end
  }
}

function isAt({ definition }: CompiledDecoder, { name, filename, line }: DecoderPlace): boolean {
  return fromByteString(definition.name) === name && (filename === undefined || definition.source.filename === filename) && (line === undefined || definition.span.line === line)
}

/** How far the event gets; what only would hold counts less. */
function rankOf(path: readonly InspectedItem[]): number {
  let rank = 0
  for (const { conditions } of path) {
    for (const { state, holds, stopped_at } of conditions) {
      rank += state === 'met' ? 1000 : 0
      rank += holds === true ? 100 : Math.min(99, stopped_at?.matched_part.length ?? 0)
    }
  }
  return rank
}

class DecoderInspector {
  readonly #run: TracedRun
  /** Steps of the run by decoder. */
  readonly #steps = new Map<CompiledDecoder, DecoderStep[]>()
  readonly #chosen: CompiledDecoder | null
  readonly #entered: CompiledDecoder | null

  constructor(run: TracedRun) {
    this.#run = run
    const { decoderSteps } = run.recorder
    for (const step of decoderSteps) {
      const known = this.#steps.get(step.decoder)
      if (known === undefined) this.#steps.set(step.decoder, [step])
      else known.push(step)
    }
    this.#chosen = decoderSteps.find(({ step }) => step === 'root' || step === 'built-in')?.decoder ?? null
    this.#entered = decoderSteps.find(({ step }) => step === 'child' || step === 'entered')?.decoder ?? null
  }

  inspect({ root, family }: Way): readonly InspectedItem[] {
    const { event } = this.#run
    // What was not tried because another decoder took the event may fail as well, which says more.
    const rootIsTested = this.#steps.has(root) || [...this.#rootConditions(root, new ConditionStates(false))].some(({ holds }) => holds === false)
    const states = new ConditionStates(rootIsTested)
    const rootConditions = [...this.#rootConditions(root, states)]
    // A root without children runs its own expression.
    if (root.children.length === 0) rootConditions.push(...this.#extraction(root, states))
    const items = [itemOf(root, rootConditions, rootIsTested)]
    const from = afterPrematch(root, event.log)
    let familyIsTested = root === this.#chosen
    for (const [index, member] of family.entries()) {
      const { prematch } = member
      const start = member.definition.prematch?.offset === 'after_parent' ? from : 0
      if (index === 0) familyIsTested &&= this.#steps.has(member) || (prematch !== null && !prematch.test(event.log, event.logLower, start))
      const own = new ConditionStates(familyIsTested)
      const conditions: InspectedCondition[] = []
      if (index === 0 && prematch !== null) conditions.push(this.#patternCondition('prematch', prematch, start, own))
      conditions.push(...this.#extraction(member, own))
      const item = itemOf(member, conditions, familyIsTested)
      items.push(item)
      // The members of a family run even where the expression of one fails, but none does where the first is not entered.
      if (index === 0 && conditions.some(({ tag, state }) => tag === 'prematch' && state === 'failed')) familyIsTested = false
    }
    return items
  }

  /** The decoder that took the event before one of which everything holds. */
  takerOf(path: readonly InspectedItem[]): string | null {
    const skipped = path.findIndex(({ state }) => state === 'skipped')
    if (skipped < 0 || path.some(({ conditions }) => conditions.some(({ tag, holds }) => tag !== 'regex' && holds === false))) return null
    const taker = skipped === 0 ? this.#chosen : this.#entered
    return taker === null ? null : fromByteString(taker.definition.name)
  }

  *#rootConditions({ programName, prematch }: CompiledDecoder, states: ConditionStates): Generator<InspectedCondition> {
    const { programName: program } = this.#run.event
    if (programName !== null) {
      const holds = program !== undefined && programName.test(program, foldCase(program), 0)
      yield {
        ...UNTESTED,
        tag: 'program_name',
        pattern: cutText(programName.pattern),
        ...patternFindings(programName, program, holds),
        ...states.next(holds),
      }
    } else if (program !== undefined) {
      yield { ...UNTESTED, tag: 'program_name', ...textFindings(program), ...states.next(false) }
    }
    if (prematch !== null) yield this.#patternCondition('prematch', prematch, 0, states)
  }

  /** The part of a decoder that sets fields. */
  *#extraction(decoder: CompiledDecoder, states: ConditionStates): Generator<InspectedCondition> {
    const { plugin, regex } = decoder
    const steps = this.#steps.get(decoder) ?? []
    if (plugin !== null) yield { ...UNTESTED, tag: 'plugin_decoder', pattern: plugin, ...states.next(steps.some(({ step }) => step === 'plugin') ? true : null) }
    else if (regex !== null) {
      const ran = steps.find(({ step }) => step === 'regex')
      // The offset of an expression that did not run depends on the run of those before it.
      yield this.#patternCondition('regex', regex, ran?.from ?? 0, ran === undefined ? new ConditionStates(false) : states)
    }
  }

  #patternCondition(tag: string, expression: NonNullable<CompiledDecoder['prematch']>, from: number, states: ConditionStates): InspectedCondition {
    const { log, logLower } = this.#run.event
    const holds = expression.test(log, logLower, from)
    const findings = patternFindings(expression, log, holds, from)
    // Where an expression with groups ends is not where its match ends (BEHAVIOUR.md#text-after-a-match); its captures show it.
    return { ...UNTESTED, tag, pattern: cutText(expression.pattern), ...findings, match: tag === 'regex' ? null : findings.match, ...states.next(holds) }
  }
}

function itemOf({ definition }: CompiledDecoder, conditions: readonly InspectedCondition[], isTested: boolean): InspectedItem {
  const failed = conditions.some(({ state }) => state === 'failed')
  const state: ConditionState = failed ? 'failed' : isTested ? 'met' : 'skipped'
  return { name: fromByteString(definition.name), filename: definition.source.filename, line: definition.span.line, level: null, state, conditions }
}
