/** Makes test cases for the request's own rules; without rules, for its decoders. */
import { type Generated, generateCases } from '#engine'
import { momentAt, now } from '../../shared/clock.js'
import type { TaskHead } from '../../shared/protocol.js'
import { entryOf, plain, type TaskDefinition } from './context.js'

/** Its answer is a `Generated`. */
export interface GenerateTask extends TaskHead {
  readonly kind: 'generate'
  /** Maximum number of cases. */
  readonly limit: number
  /** Milliseconds after which no further rule is tried. */
  readonly budgetMs: number
  readonly seconds: number
}

export const generate: TaskDefinition<GenerateTask> = {
  run(context, { limit, budgetMs, seconds, locale }) {
    const ends = now() + budgetMs
    const generated: Generated = generateCases(entryOf(context).runner, momentAt(seconds), { scopes: ['adhoc'], limit, locale, mayGoOn: () => now() < ends })
    return plain(generated)
  },
}
