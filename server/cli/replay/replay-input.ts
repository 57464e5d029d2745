/** What a replay runs on: sources, whose blocks threads run, or what calls with `--partial` found in them. */
import type { Readable } from 'node:stream'
import type { ReplayThreadData, ReplayThreads } from '#workers'
import type { BlockMemory } from './block-memory.js'
import type { Feeds } from './lane.js'
import { type Partial, PartialFeed } from './partial-feed.js'
import type { PlannedSource } from './place.js'
import { inOrder, planSources } from './plan-sources.js'
import { SourceFeed } from './source-feed.js'
import type { Source } from './sources.js'

export interface ReplayInput {
  readonly sources: readonly Source[]
  /** Texts that identify the sources in a call. */
  readonly identity: readonly string[]
  /** The order in which they begin. */
  plan(): Promise<readonly PlannedSource[]>
  /** Begins to read. @param memory for blocks */
  open(memory: BlockMemory): Feeds & { readonly threads: number }
}

/** @param threads run the events */
export function sourceInput(sources: readonly Source[], stdin: Readable, { clock, fields }: Pick<ReplayThreadData, 'clock' | 'fields'>, threads: ReplayThreads): ReplayInput {
  return {
    sources,
    identity: sources.map(({ name }) => name),
    plan: () => planSources(sources, clock, fields),
    open(memory) {
      return {
        threads: threads.count,
        capacity: threads.capacity,
        open: (source, size, start) => new SourceFeed({ name: sources[source].name, size }, start, stdin, memory, (block) => threads.run(block)),
      }
    },
  }
}

/** @param partials one of each source, in the order of their names */
export function partialInput(partials: readonly Partial[]): ReplayInput {
  return {
    sources: partials,
    identity: partials.map(({ name, digest }) => `${name} ${digest}`),
    plan: async () => inOrder(partials.map(({ size, first }, source) => ({ source, size, first }))),
    open: () => ({ threads: 1, capacity: 1, open: (source, _, start) => new PartialFeed(partials[source], start) }),
  }
}
