/** Where the alerts of a replay go: all of them to a file, or of each rule those lines of the sources with the smallest hashes. */
import { createReadStream } from 'node:fs'
import type { AlertFile } from './alert-file.js'
import { type BlockEvent, lineOf } from './block-event.js'
import { admits, createSmallest, hashOf, keep, seedOf, type Smallest } from './smallest.js'

/** Alerts of a rule that a sample can have: their places are kept in memory. */
export const SAMPLE_LIMIT = 10_000

/** Where in the file the alerts of the sample begin, by the numbers of their rules. Plain data. */
export type Samples = Map<number, Smallest<number>>

export class AlertSink {
  readonly #file: AlertFile
  readonly #sample: number | null
  readonly #samples: Samples
  readonly #seeds = new Map<string, number>()

  /** @param sample alerts of a rule; null: all */
  constructor(file: AlertFile, sample: number | null, samples: Samples) {
    this.#file = file
    this.#sample = sample
    this.#samples = samples
  }

  /** Begins an alert. @returns whether it is written */
  begin(rule: number, event: BlockEvent): boolean {
    const limit = this.#sample
    if (limit === null) return true
    const { source } = event.block
    let seed = this.#seeds.get(source)
    if (seed === undefined) this.#seeds.set(source, (seed = seedOf(source)))
    let samples = this.#samples.get(rule)
    if (samples === undefined) this.#samples.set(rule, (samples = createSmallest()))
    const hash = hashOf(seed, lineOf(event))
    if (!admits(samples, limit, hash)) return false
    keep(samples, limit, hash, this.#file.size)
    return true
  }

  add(bytes: Uint8Array, start: number, end: number): void {
    this.#file.add(bytes, start, end)
  }

  text(ascii: string): void {
    this.#file.text(ascii)
  }
}

/** The lines of a file, or those of the sample in the order in which they were written. They end with the length of the file that is given. */
export async function* linesOf(path: string, size: number, samples: Samples | null): AsyncGenerator<Buffer, void, undefined> {
  if (size === 0) return
  const kept = samples === null ? null : [...samples.values()].flatMap(({ heap }) => heap.map(({ item }) => item)).sort((a, b) => a - b)
  let at = 0
  let next = 0
  let rest: Buffer = Buffer.alloc(0)
  for await (const part of createReadStream(path, { end: size - 1, highWaterMark: 1024 * 1024 })) {
    const chunk = rest.length === 0 ? (part as Buffer) : Buffer.concat([rest, part as Buffer])
    let start = 0
    for (let end = chunk.indexOf(0x0a); end >= 0; end = chunk.indexOf(0x0a, start)) {
      const line = chunk.subarray(start, end + 1)
      if (kept === null || kept[next] === at) {
        next++
        yield line
      }
      at += line.length
      start = end + 1
    }
    rest = chunk.subarray(start)
  }
}
