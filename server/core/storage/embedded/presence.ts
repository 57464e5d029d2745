/**
 * Checks whether the open file of a store is still at its path. A process can write to a file that was deleted or moved, and acknowledged writes would then be lost.
 * It does not read the content of the file.
 */
import { statSync } from 'node:fs'

/** `missing`: no file is at the path, or it cannot be read; `replaced`: another file is at the path. */
export type PresenceState = 'present' | 'missing' | 'replaced'

/** Interval of the check in a service without writes, about that of requests to `/readyz`. A check is one `stat`, which takes some microseconds. */
const CHECK_MS = 1000

export class Presence {
  readonly #path: string
  readonly #identity: string
  readonly #onChange: (state: PresenceState) => void
  readonly #timer: NodeJS.Timeout
  #state: PresenceState = 'present'

  /** @param path path of the open file @param onChange called once for each change of the state @throws the error of `stat` when the file is missing */
  constructor(path: string, onChange: (state: PresenceState) => void, checkMs = CHECK_MS) {
    this.#path = path
    this.#identity = identityOf(path)
    this.#onChange = onChange
    this.#timer = setInterval(() => this.check(), checkMs).unref()
  }

  /** Checks and returns the state. It becomes `present` again when a moved folder is moved back. */
  check(): PresenceState {
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

/** Returns the device and inode, which identify the file. They are read as big integers, because inodes of some file systems exceed the safe integers. */
function identityOf(path: string): string {
  const { dev, ino } = statSync(path, { bigint: true })
  return `${dev} ${ino}`
}
