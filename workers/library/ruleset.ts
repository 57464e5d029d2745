/** The handles of the library: programs hold compiled rulesets and sessions, and cannot reach into them. */
import { type CompiledRuleset, createSession as createEngineSession, EventRunner, type Session as EngineSession } from '#engine'

/** Language of texts, unless a call names one. */
export const DEFAULT_LOCALE = 'en-US'

// The classes below set these functions, so that their constructors and contents are not public.
export let createRuleset: (compiled: CompiledRuleset) => Ruleset
export let runnerOf: (ruleset: Ruleset) => EventRunner
export let openSession: (ruleset: Ruleset) => Session
export let stateOf: (session: Session, ruleset: Ruleset) => EngineSession

/** A compiled ruleset, created by `compile`. Immutable. */
export class Ruleset {
  readonly #runner: EventRunner

  static {
    createRuleset = (compiled) => new Ruleset(compiled)
    runnerOf = (ruleset) => ruleset.#runner
  }

  private constructor(compiled: CompiledRuleset) {
    this.#runner = new EventRunner(compiled)
  }

  /** SHA-256 over the version of the engine and all files: equal rulesets have equal hashes. */
  get hash(): string {
    return this.#runner.ruleset.hash
  }

  /** Whether Wazuh would start with it. Otherwise no event is run, and reports have `ok: false`. */
  get loads(): boolean {
    return this.#runner.ruleset.loads
  }
}

/** The state that earlier events left for later ones, created by `createSession`. */
export class Session {
  readonly #ruleset: Ruleset
  readonly #state = createEngineSession()

  static {
    openSession = (ruleset) => new Session(ruleset)
    stateOf = (session, ruleset) => {
      if (session.#ruleset !== ruleset) throw new TypeError('the session belongs to another ruleset')
      return session.#state
    }
  }

  private constructor(ruleset: Ruleset) {
    this.#ruleset = ruleset
  }
}
