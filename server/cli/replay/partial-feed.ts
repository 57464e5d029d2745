/** Partial results that a call joins: which of the files are parts of this replay, and their blocks. */
import { STDIN_NAME } from '../input/lines.js'
import { UsageError } from '../usage-error.js'
import type { CostSample } from './cost-sample.js'
import type { BlockFeed, GivenBlock, LaneStart } from './lane.js'
import { type PartialBlock, type PartialSample, type PartialTail, readBlocks, readOutline } from './partial-file.js'
import type { Source } from './sources.js'

/** The part of one source, with the file in which it is. */
export interface Partial extends Source, Pick<PartialTail, 'first' | 'fault' | 'digest'> {
  readonly path: string
  /** Where its tail begins. */
  readonly end: number
}

/**
 * Reads which parts there are. A part that was written twice counts once, and what a task left that was killed does not count if another one has written the part.
 * @param call of this replay
 * @throws UsageError when a file is no part of this replay, has no end, or differs from another one of the same source
 */
export async function readPartials(files: readonly Source[], call: string): Promise<readonly Partial[]> {
  const parts = new Map<string, Partial>()
  const cut: { readonly file: string; readonly name: string }[] = []
  for (const { name: file, size } of files) {
    // A task that was killed at its very beginning has written nothing.
    if (size === null) continue
    const { head, tail, end } = await readOutline(file, size)
    if (head?.call !== call) throw new UsageError('partial_other', { file })
    if (tail === null) {
      cut.push({ file, name: head.name })
      continue
    }
    const { name, first, fault, digest } = tail
    const known = parts.get(name)
    if (known === undefined) parts.set(name, { name, size, first, fault, digest, path: file, end })
    else if (known.digest !== digest) throw new UsageError('partials_differ', { file, other: known.path, name })
  }
  for (const { file, name } of cut) if (!parts.has(name)) throw new UsageError('partial_cut', { file, name })
  if (parts.size === 0) throw new UsageError('sources_missing', { stdin: STDIN_NAME })
  return [...parts.values()].sort((a, b) => (a.name < b.name ? -1 : 1))
}

export class PartialFeed implements BlockFeed {
  readonly isSampled = true
  fault: string | null = null
  sample: CostSample | null = null
  readonly #partial: Partial
  readonly #blocks: AsyncGenerator<PartialBlock | PartialSample, void, undefined>
  #bytes = 0

  constructor(partial: Partial, { lines }: Pick<LaneStart, 'lines'>) {
    this.#partial = partial
    this.#blocks = readBlocks(partial.path, partial.end, lines, (bytes) => {
      this.#bytes = bytes
    })
  }

  async next(): Promise<GivenBlock | null> {
    try {
      const { value } = await this.#blocks.next()
      if (value !== undefined && 'sample' in value) {
        this.sample = value.sample
        return this.next()
      }
      if (value !== undefined) return { cut: value.cut, answers: value.answers.length === 0 ? null : Promise.resolve(value.answers) }
      this.fault = this.#partial.fault
    } catch (error) {
      const { code } = error as NodeJS.ErrnoException
      if (typeof code !== 'string') throw error
      this.fault = code
    }
    return null
  }

  bytesRead(): number {
    return this.#bytes
  }

  close(): Promise<unknown> {
    return this.#blocks.return()
  }
}
