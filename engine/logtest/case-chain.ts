/**
 * Runs a chain of cases: they run in order, each continues the session of the previous one, and each has its own result. Second 0 of a case is its `now`, or else
 * the second at which the previous one ended. Time never runs backwards in a session: a case whose `now` is earlier fails.
 */
import type { Locale } from '../diagnostics/text.js'
import type { EventRunner, Moment } from '../match/run-event.js'
import { createSession, type Session } from '../match/session.js'
import { type CaseOptions, type RanCase, runCase } from './cases.js'
import type { CaseCheck, CaseReport } from '../records/records.js'
import { runIniCase } from './run-ini-case.js'
import { expectsOfRules, isIniCase, nowOf, type SuiteCase, suiteCaseInputs } from './suite-case.js'
import { later, readNow } from './virtual-clock.js'

const WORDS: Readonly<Record<Locale, { readonly clock: string; readonly form: string; readonly notBefore: (time: string) => string }>> = {
  'en-US': { clock: 'Clock', form: 'an ISO time with a zone', notBefore: (time) => `not before ${time}, when the previous case of the session ends` },
  'pt-BR': { clock: 'Relógio', form: 'uma hora ISO com fuso', notBefore: (time) => `não antes de ${time}, quando termina o caso anterior da sessão` },
}

/** Runs the cases of one chain, one after the other. */
export class CaseChain {
  readonly #runner: EventRunner
  readonly #locale: Locale
  readonly #options: CaseOptions
  readonly #session: Session | undefined
  /** When the next case begins, unless it has a `now`. */
  #next: Moment
  #ran = 0
  /** Whether a `now` has set the clock. */
  #isSet = false
  /** Whether what the session keeps depends on the caller's clock. */
  #keepsClock = false

  /**
   * @param moment second 0 of the first case's clock, by the clock of the caller
   * @param keepsSession whether the chain has more than one case; a single case needs no session
   */
  constructor(runner: EventRunner, moment: Moment, locale: Locale, keepsSession: boolean, options: Omit<CaseOptions, 'session'> = {}) {
    this.#runner = runner
    this.#next = moment
    this.#locale = locale
    this.#options = options
    this.#session = keepsSession ? createSession() : undefined
  }

  run(suiteCase: SuiteCase): CaseReport {
    const { start, wrong } = this.#startOf(suiteCase)
    const isSet = this.#isSet
    // Decisions up to the first reading of the clock do not depend on it, so whether it is read at all does not either.
    let isRead = false
    const local = (): ReturnType<Moment['local']> => {
      isRead ||= !isSet
      return start.local()
    }
    const session = this.#session
    const { passed, checks, ...report } = this.#run(suiteCase, { seconds: start.seconds, local }, session === undefined ? this.#options : { ...this.#options, session })
    this.#keepsClock ||= isRead
    if (session !== undefined) this.#next = later(start, suiteCaseInputs(suiteCase).at(-1)?.at ?? 0)
    this.#ran++
    return {
      ...report,
      passed: passed && wrong === null,
      checks: wrong === null ? checks : [...checks, wrong],
      depends_on_clock: this.#keepsClock && expectsOfRules(suiteCase),
    }
  }

  /** Returns second 0 of a case, and the failed check if its `now` cannot be used. */
  #startOf(suiteCase: SuiteCase): { readonly start: Moment; readonly wrong: CaseCheck | null } {
    const now = nowOf(suiteCase)
    const next = this.#next
    if (now === null) return { start: next, wrong: null }
    const { clock, form, notBefore } = WORDS[this.#locale]
    const refuse = (expected: string): CaseCheck => ({ label: clock, expected, actual: now, passed: false })
    const start = readNow(now)
    if (start === null) return { start: next, wrong: refuse(form) }
    if (this.#ran > 0) {
      // The time from the caller's clock to a written one differs with each run.
      this.#keepsClock ||= !this.#isSet
      if (start.seconds < next.seconds) return { start: next, wrong: refuse(notBefore(new Date(next.seconds * 1000).toISOString())) }
    }
    this.#isSet = true
    return { start, wrong: null }
  }

  /** @param moment second 0 of the virtual clock */
  #run(suiteCase: SuiteCase, moment: Moment, options: CaseOptions): RanCase {
    return isIniCase(suiteCase) ? runIniCase(this.#runner, suiteCase, moment, this.#locale, options) : runCase(this.#runner, suiteCase, moment, this.#locale, options)
  }
}
