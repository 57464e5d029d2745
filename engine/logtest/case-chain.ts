/**
 * Runs a chain of cases: they run in order, each continues the session of the previous one, and each has its own result. Second 0 of a case is the second at
 * which the previous one ended, so that time never runs backwards in a session.
 */
import type { Locale } from '../diagnostics/text.js'
import type { EventRunner, Moment } from '../match/run-event.js'
import { createSession, type Session } from '../match/session.js'
import { type CaseOptions, runCase } from './cases.js'
import type { CaseReport } from '../records/records.js'
import { runIniCase } from './run-ini-case.js'
import { isIniCase, type SuiteCase, suiteCaseInputs } from './suite-case.js'
import { later } from './virtual-clock.js'

/** Runs the cases of one chain, one after the other. */
export class CaseChain {
  readonly #runner: EventRunner
  readonly #moment: Moment
  readonly #locale: Locale
  readonly #options: CaseOptions
  readonly #session: Session | undefined
  #clock = 0

  /**
   * @param moment second 0 of the first case's clock
   * @param lasts whether the chain has more than one case; a single case needs no lasting session
   */
  constructor(runner: EventRunner, moment: Moment, locale: Locale, lasts: boolean, options: Omit<CaseOptions, 'session'> = {}) {
    this.#runner = runner
    this.#moment = moment
    this.#locale = locale
    this.#options = options
    this.#session = lasts ? createSession() : undefined
  }

  run(suiteCase: SuiteCase): CaseReport {
    const session = this.#session
    const report = runSuiteCase(this.#runner, suiteCase, later(this.#moment, this.#clock), this.#locale, session === undefined ? this.#options : { ...this.#options, session })
    if (session !== undefined) this.#clock += suiteCaseInputs(suiteCase).at(-1)?.at ?? 0
    return report
  }
}

/** @param moment second 0 of the virtual clock */
function runSuiteCase(runner: EventRunner, suiteCase: SuiteCase, moment: Moment, locale: Locale, options: CaseOptions = {}): CaseReport {
  return isIniCase(suiteCase) ? runIniCase(runner, suiteCase, moment, locale, options) : runCase(runner, suiteCase, moment, locale, options)
}
