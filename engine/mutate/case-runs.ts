/**
 * The cases on the original ruleset, and on mutants: which cases can reach a rule or decoder, and which of them fail. The events of a case are decoded once; a mutant of
 * a rule runs the rules alone on them, and the whole case only where they answer otherwise. Invariant: a case for which that is left out passes as on the original.
 */
import type { Locale } from '../diagnostics/text.js'
import type { Event } from '../event/event.js'
import { CaseChain } from '../logtest/case-chain.js'
import { decodeAs, type ReceivedEvent, receiveEvent } from '../logtest/received-event.js'
import { nowOf, sessionOf, type SuiteCase, suiteCaseInputs } from '../logtest/suite-case.js'
import { later, readNow } from '../logtest/virtual-clock.js'
import type { Outcome } from '../match/outcome.js'
import { accumulates, EventRunner, type Moment } from '../match/run-event.js'
import { createSession, type Session } from '../match/session.js'
import { predecode } from '../predecoding/predecode.js'
import type { CaseReport } from '../records/records.js'
import type { CompiledMutant } from './compile-mutant.js'

/** A case that was run on the original. */
export interface KnownCase {
  /** The list of cases that it is from, and its place there. */
  readonly suite: number
  readonly place: number
  readonly name: string
  readonly testCase: SuiteCase
  readonly passed: boolean
  /** The final rule of its last event; null: none. */
  readonly final: string | null
  /** Ids of rules that matched some event of it. */
  readonly rules: ReadonlySet<string>
  /** Decoders that ran on some event of it, by `file:line`. */
  readonly decoders: ReadonlySet<string>
  /** Equal where no expectation can be met otherwise. */
  readonly signature: string
  /** Its events, decoded in one session; null: one of them is refused. */
  readonly events: readonly DecodedEvent[] | null
  /** Whether its events can be used again: it shares no session, and no decoder gives an event fields of earlier ones, which would be added to it. */
  readonly isRepeatable: boolean
}

/** An event of a case, and what the original makes of it. */
export interface DecodedEvent {
  readonly received: ReceivedEvent
  readonly event: Event
  readonly moment: Moment
  /** The results of the rules for the case, as one text. */
  readonly signature: string
  /** The decoded events of the case, as one text. */
  readonly decoded: string
}

/** Cases that share a session, in order; most chains have one case. */
type Chain = readonly KnownCase[]

/** The result of the cases for a mutant. */
export interface CaseVerdict {
  /** The first case that fails; null: none does. */
  readonly killer: KnownCase | null
  /** A case that passes, though the answer is another one. */
  readonly unaware: KnownCase | null
}

export class CaseRuns {
  readonly #moment: Moment
  readonly #locale: Locale
  readonly cases: readonly KnownCase[]
  readonly #chains: ReadonlyMap<KnownCase, Chain>

  constructor(runner: EventRunner, suites: readonly (readonly SuiteCase[])[], moment: Moment, locale: Locale) {
    this.#moment = moment
    this.#locale = locale
    const cases: KnownCase[] = []
    const chains = new Map<KnownCase, KnownCase[]>()
    for (const [suite, written] of suites.entries()) {
      const bySession = new Map<string, { readonly chain: CaseChain; readonly known: KnownCase[] }>()
      for (const [place, testCase] of written.entries()) {
        const session = sessionOf(testCase)
        const open = bySession.get(session) ?? { chain: new CaseChain(runner, moment, locale, session !== ''), known: [] }
        if (session !== '') bySession.set(session, open)
        const report = open.chain.run(testCase)
        const events = this.#decoded(runner, testCase)
        const isRepeatable = session === '' && events !== null && !events.some(({ event }) => accumulates(event))
        const known: KnownCase = {
          suite,
          place,
          name: report.name,
          testCase,
          passed: report.passed,
          final: report.analysis.rule?.id ?? null,
          rules: new Set(report.covered.rules),
          decoders: new Set(report.covered.decoders),
          signature: signatureOf(report),
          events,
          isRepeatable,
        }
        open.known.push(known)
        chains.set(known, open.known)
        cases.push(known)
      }
    }
    this.cases = cases
    this.#chains = chains
  }

  /** Runs cases on a mutant until one fails. @param cases in the order in which they are tried */
  judge(cases: readonly KnownCase[], { ruleset, kind }: CompiledMutant): CaseVerdict {
    const runner = new EventRunner(ruleset)
    const done = new Set<Chain>()
    let unaware: KnownCase | null = null
    for (const one of cases) {
      if (one.isRepeatable && one.events !== null && areAsBefore(one.events, runner, kind)) continue
      const known = this.#chains.get(one) ?? [one]
      if (done.has(known)) continue
      done.add(known)
      const chain = new CaseChain(runner, this.#moment, this.#locale, known.length > 1 || sessionOf(one.testCase) !== '')
      for (const each of known) {
        const report = chain.run(each.testCase)
        if (each.passed && !report.passed) return { killer: each, unaware }
        if (unaware === null && known.length === 1 && signatureOf(report) !== each.signature) unaware = each
      }
    }
    return { killer: null, unaware }
  }

  #decoded(runner: EventRunner, testCase: SuiteCase): DecodedEvent[] | null {
    const start = readNow(nowOf(testCase) ?? '') ?? this.#moment
    const found: DecodedEvent[] = []
    const inputs = suiteCaseInputs(testCase)
    const session = sessionFor(inputs)
    for (const { input, at } of inputs) {
      const moment = later(start, at)
      const received = receiveEvent(input)
      const event = received === null ? null : decode(received, moment, runner, session)
      if (received === null || event === null) return null
      const decoded = decodedSignature(event)
      found.push({ received, event, moment, decoded, signature: outcomeSignature(runner.runRules(event, moment, session, null)) })
    }
    return found
  }
}

/** Whether nothing that a case can expect is another one: only the stages run that the mutant can change. */
function areAsBefore(events: readonly DecodedEvent[], runner: EventRunner, kind: CompiledMutant['kind']): boolean {
  const session = sessionFor(events)
  return events.every((known) => {
    const { received, moment, signature } = known
    const event = kind === 'rules' ? known.event : decode(received, moment, runner, session)
    if (event === null) return false
    return kind === 'decoders' ? decodedSignature(event) === known.decoded : outcomeSignature(runner.runRules(event, moment, session, null)) === signature
  })
}

/** A single event needs no session. */
function sessionFor(events: readonly unknown[]): Session | null {
  return events.length === 1 ? null : createSession()
}

function decode({ text, origin, format }: ReceivedEvent, { seconds }: Moment, runner: EventRunner, session: Session | null): Event | null {
  const event = predecode(text, origin, seconds)
  return decodeAs(format, event, runner, session, null) ? event : null
}

function decodedSignature({ decoder, type, statics, names, values, crashes, importedRule }: Event): string {
  return `${decoder?.name} ${type} ${importedRule} ${crashes.length}\n${statics.join('\n')}\n${names.join('\n')}\n${values.join('\n')}`
}

function outcomeSignature({ rule, path }: Outcome): string {
  let text = rule === null ? '-' : `${rule.id} ${rule.level}`
  for (const { id } of path) text += ` ${id}`
  return text
}

function signatureOf({ analysis: { ok, rule, decoder, matched_rules, extracted_fields } }: CaseReport): string {
  return JSON.stringify([ok, rule?.id, rule?.level, decoder?.name, matched_rules.map(({ id }) => id), Object.entries(extracted_fields).sort(([a], [b]) => (a < b ? -1 : 1))])
}
