/** Reads the test cases that a model proposes. What is not a case is left out; what is no JSON at all is a failure of the provider. */
import Type, { type Static } from 'typebox'
import { pruneBytes } from '#requests'
import { isValid } from '../../core/egress/answers.js'
import { AiProviderError } from './gateways/ai-provider-error.js'

/** Longest event of a proposed case: one line of a log. */
const EVENT_CHARACTERS = 8 * 1024
const NAME_CHARACTERS = 120
const DESCRIPTION_CHARACTERS = 500
/** Cases that are read of one answer: twice as many as can be asked for. */
const CASES_LIMIT = 60

const Proposed = Type.Object({
  name: Type.Optional(Type.String()),
  description: Type.Optional(Type.String()),
  event_text: Type.String({ minLength: 1, maxLength: EVENT_CHARACTERS }),
  log_format: Type.Optional(Type.Enum(['auto', 'syslog', 'json', 'eventchannel', 'plain'])),
})
const Cases = Type.Object({ cases: Type.Array(Type.Unknown()) })

/** A case without what is expected, which the engine says. */
export interface ProposedCase {
  readonly name: string
  readonly description: string
  readonly event_text: string
  readonly log_format: 'auto' | 'syslog' | 'json' | 'eventchannel' | 'plain'
}

/** @throws AiProviderError answer_malformed */
export function readProposedCases(answer: string): ProposedCase[] {
  const first = answer.indexOf('{')
  const text = answer.slice(first, answer.lastIndexOf('}') + 1)
  // Text of a model has at most some ten kilobytes (`assistant/gateways/`).
  const parsed = pruneBytes(Cases, Buffer.from(first < 0 ? '' : text))
  if (parsed.kind !== 'valid') throw new AiProviderError('answer_malformed')
  const cases = (parsed.value as Static<typeof Cases>).cases.slice(0, CASES_LIMIT).filter((each): each is Static<typeof Proposed> => isValid(Proposed, each))
  return cases.map(({ name = '', description = '', event_text, log_format = 'auto' }, at) => ({
    name: oneLine(name).slice(0, NAME_CHARACTERS).trim() || `case ${at + 1}`,
    description: oneLine(description).slice(0, DESCRIPTION_CHARACTERS),
    event_text,
    log_format,
  }))
}

function oneLine(text: string): string {
  return text.replaceAll(/\p{Cc}+/gu, ' ')
}
