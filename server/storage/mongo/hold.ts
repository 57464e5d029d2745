/** Who is at work on a commit. */
import type { Anchor, StepsOptions } from './steps.js'
import type { NativeFilter } from './stored.js'

/** Someone else has taken over. */
export class TurnLost extends Error {
  override readonly name = 'TurnLost'
}

/** Says from time to time that somebody is at work. */
export class Hold {
  readonly #options: StepsOptions
  readonly #id: string
  readonly #every: number
  #anchor: Anchor
  #turn: number
  #since: number

  constructor(options: StepsOptions, anchor: Anchor, id: string, turn: number, since: number, every: number) {
    this.#options = options
    this.#anchor = anchor
    this.#id = id
    this.#turn = turn
    this.#since = since
    this.#every = every
  }

  get turn(): number {
    return this.#turn
  }

  moved(anchor: Anchor): void {
    this.#anchor = anchor
  }

  /** @throws TurnLost */
  async keep(): Promise<void> {
    const now = performance.now()
    if (now - this.#since < this.#every) return
    const { collection, id } = this.#anchor
    const mine = { _id: id, '_pending.id': this.#id, '_pending.turn': this.#turn } as NativeFilter
    const { matchedCount } = await this.#options.ask(collection, () => this.#options.native(collection).updateOne(mine, { $set: { '_pending.turn': this.#turn + 1 } } as object))
    if (matchedCount === 0) throw new TurnLost()
    this.#turn++
    this.#since = now
  }
}
