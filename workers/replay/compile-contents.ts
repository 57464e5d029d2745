/** Compiles the contents of a replay in a thread of it. Several ones share what is the same in their bases. */
import { type CompiledRuleset, compileRuleset } from '#engine'
import { composeRuleset } from '../content/compose.js'
import { LayeredContent } from '../content/layered-content.js'
import type { ReplayContent } from './block.js'

/** @returns a ruleset for each, with the same numbers of rules as in any other way of compiling it */
export function compileContents(contents: readonly ReplayContent[]): readonly CompiledRuleset[] {
  if (contents.length === 1) return [compileRuleset(composeRuleset(contents[0].defaults, contents[0].custom, []))]
  let former: LayeredContent | null = null
  return contents.map(({ defaults, custom }) => {
    former = new LayeredContent(defaults, custom, former)
    return former.compile()
  })
}
