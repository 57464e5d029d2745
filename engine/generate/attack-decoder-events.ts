/** Events that bring an attack to the pattern of a decoder: the header of its program, what the decoders above it read, and the text of the attack. */
import type { CompiledDecoder } from '../event/decoder.js'
import type { Expression } from '../expressions/expression.js'
import { Pcre2Expression } from '../expressions/pcre2/compile.js'
import { type Attack, attackText, callsOn, EVENT_BYTES, MATCH_LIMIT } from '../redos/attack.js'
import { foldCase, fromByteString } from '../source/byte-string.js'
import type { DecoderStep } from '../trace/trace-recorder.js'
import { withProgram } from './compose-event.js'
import { findText } from './find-text.js'
import { type PatternCache, patternsOf } from './text-tests.js'

/** Steps of one search for a text. */
const TEXT_STEPS = 4_000

/** A pattern of a decoder, with the decoder above it. */
export interface DecoderPattern {
  readonly root: CompiledDecoder
  readonly decoder: CompiledDecoder
  readonly option: 'prematch' | 'regex'
  readonly expression: Pcre2Expression
}

/** What a run says about the decoders. */
export interface DecodedRun {
  readonly log: string
  readonly steps: readonly DecoderStep[]
}

export function patternsOfDecoders(roots: readonly CompiledDecoder[]): DecoderPattern[] {
  return roots.flatMap((root) =>
    [root, ...root.children].flatMap((decoder) =>
      (['prematch', 'regex'] as const).flatMap((option): DecoderPattern[] => {
        const expression = decoder[option]
        return expression instanceof Pcre2Expression ? [{ root, decoder, option, expression }] : []
      }),
    ),
  )
}

/** Unicode events that may bring the attack there. */
export function* decoderCandidates({ root, decoder, option }: DecoderPattern, attack: Attack, cache: PatternCache): Generator<string> {
  const above = [...(decoder === root && option === 'prematch' ? [] : [root.prematch]), ...(decoder !== root && option === 'regex' ? [decoder.prematch] : [])]
  const found = above.filter((one) => one !== null).map((one) => textOf(one, cache))
  if (found.includes(null)) return
  const before = found.join('')
  const beginnings = root.programName === null ? [before] : withProgram(root.programName, before, cache)
  for (const beginning of beginnings) {
    for (const space of ['', ' ']) {
      const room = EVENT_BYTES - beginning.length - space.length - attack.prefix.length - attack.suffix.length
      const most = Math.floor(room / attack.pump.length)
      const copies = attack.blind === null ? most : attack.blind.copies
      if (copies <= most) yield fromByteString(beginning + space + attackText(attack, copies))
    }
  }
}

/** Whether the pattern is tried in a run on a text that does what the attack promises. */
export function meetsDecoder({ decoder, option, expression }: DecoderPattern, { log, steps }: DecodedRun, attack: Attack): boolean {
  return steps.some((step) => {
    if (step.decoder !== decoder || (option === 'prematch' ? step.step !== 'prematch' : step.step !== 'regex')) return false
    const text = log.slice(step.from)
    return attack.blind === null
      ? !step.matched && text.includes(attack.prefix + attack.pump.repeat(Math.floor(attack.stall.copies / 2)))
      : callsOn(expression.tree, text) >= MATCH_LIMIT
  })
}

function textOf(expression: Expression, cache: PatternCache): string | null {
  const { wanted, unwanted } = patternsOf(cache, expression, false)
  const found = findText(wanted, unwanted, { steps: TEXT_STEPS })
  return found !== null && expression.test(found, foldCase(found), 0) ? found : null
}
