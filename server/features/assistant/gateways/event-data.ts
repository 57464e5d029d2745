/**
 * Reads the data of server-sent events. Not with the library, which searches and copies all that has arrived of an event with each packet: four megabytes in
 * small packets kept the processor busy for minutes.
 */
import { AiProviderError } from './ai-provider-error.js'

/** Longest event: a whole answer in one, every character of it escaped. */
const EVENT_CHARACTERS = 512 * 1024

/** Yields the data of each event. An event that has not ended is none. @throws AiProviderError answer_too_large, and what the body throws */
export async function* eventData(body: AsyncIterable<Uint8Array>): AsyncGenerator<string, void, undefined> {
  const decoder = new TextDecoder()
  /** The line that has not ended, as it arrived. */
  let pieces: string[] = []
  let data: string[] = []
  let characters = 0
  for await (const chunk of body) {
    const parts = decoder.decode(chunk, { stream: true }).split('\n')
    for (const [at, part] of parts.entries()) {
      pieces.push(part)
      characters += part.length
      if (characters > EVENT_CHARACTERS) throw new AiProviderError('answer_too_large')
      if (at === parts.length - 1) break
      const line = pieces.join('').replace(/\r$/, '')
      pieces = []
      if (line.startsWith('data:')) data.push(line.slice(line[5] === ' ' ? 6 : 5))
      if (line !== '') continue
      if (data.length > 0) yield data.join('\n')
      data = []
      characters = 0
    }
  }
}
