/** Returns the meaning of a request's own rules, decoders and lists, with the diagnostics in them. */
import { type ContentSemantics, describeLists, describeSemantics } from '#engine'
import type { TaskHead } from '../../shared/protocol.js'
import { entryOf, ownBytes, ownDiagnostics, type TaskDefinition } from './context.js'

export interface SemanticsTask extends TaskHead {
  readonly kind: 'semantics'
}

/** Its answer is a `ContentSemantics`, in separate memory: that of a large ruleset is several megabytes, which the main thread only passes to `compare`. */
export const semantics: TaskDefinition<SemanticsTask> = {
  run(context, { locale }) {
    const { ruleset } = entryOf(context)
    const described: ContentSemantics = { diagnostics: [...ownDiagnostics(context, locale)], ...describeSemantics(ruleset), lists: describeLists(ruleset, 'adhoc') }
    return { value: null, snapshot: null, place: null, bytes: ownBytes(JSON.stringify(described)) }
  },
}
