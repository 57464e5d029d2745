/**
 * Whether the file that a store has open is still where it was opened. A process goes on writing to a file that was deleted, or moved away with its folder, and
 * nobody would ever see again what it has acknowledged. Says nothing of what is in the file, so it serves whatever library writes it.
 */
import { statSync } from 'node:fs'

/** `missing`: nothing is there, or it can't be reached; `replaced`: another file is. */
export type PresenceState = 'present' | 'missing' | 'replaced'

/** How soon a service without writes notices: as often as `/readyz` is asked. A look is one `stat`, some microseconds. */
const LOOK_MS = 1000

export class Presence {
  readonly #path: string
  readonly #identity: string
  readonly #onChange: (state: PresenceState) => void
  readonly #timer: NodeJS.Timeout
  #state: PresenceState = 'present'

  /** @param path of the file, which is open. @param onChange told of each change of the state, once. @throws what the system says of a file that is not there */
  constructor(path: string, onChange: (state: PresenceState) => void, lookMs = LOOK_MS) {
    this.#path = path
    this.#identity = identityOf(path)
    this.#onChange = onChange
    this.#timer = setInterval(() => this.look(), lookMs).unref()
  }

  /** As it is now. It may come back: a folder that was moved away and is put in its place again has the same file. */
  look(): PresenceState {
    const state = this.#compare()
    if (state !== this.#state) {
      this.#state = state
      this.#onChange(state)
    }
    return state
  }

  close(): void {
    clearInterval(this.#timer)
  }

  #compare(): PresenceState {
    try {
      return identityOf(this.#path) === this.#identity ? 'present' : 'replaced'
    } catch {
      return 'missing'
    }
  }
}

/** What tells a file from another of its name. As big integers: inodes of some file systems are beyond what a number holds. */
function identityOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true })
  return `${dev} ${ino}`
}
