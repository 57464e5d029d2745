/** Reads answers of the provider, and notes what they cost. */
import type { AiGateway, CompletionPart, TokenUsage } from './gateways/gateway.js'
import type { Prompt } from './prompt.js'
import { plausibleUsage, type Spending } from './usage.js'

export interface Call {
  readonly prompt: Prompt
  /** Maximum tokens of the answer. */
  readonly maxTokens: number
  readonly signal: AbortSignal
  /** See `CompletionRequest`. */
  readonly since?: number
}

/**
 * Yields the parts of an answer, and adds the tokens that it used, also if it fails or its reader leaves. Nothing is added for a call that failed before its
 * first part. A caller who leaves before that part has still sent the prompt, so its tokens are added.
 */
export async function* counted(gateway: AiGateway, { prompt, ...call }: Call, spent: Spending): AsyncGenerator<CompletionPart, void, undefined> {
  let text = ''
  let reported: TokenUsage | null = null
  let hasBegun = false
  try {
    for await (const part of gateway.stream({ messages: prompt.messages, ...call })) {
      hasBegun = true
      if (part.kind === 'text') text += part.text
      else reported = part.usage
      yield part
    }
  } finally {
    if (hasBegun || call.signal.aborted) spent.add(plausibleUsage(reported, prompt.text, text))
  }
}

/** Returns the text of a whole answer. @throws AiProviderError */
export async function complete(gateway: AiGateway, call: Call, spent: Spending): Promise<string> {
  let text = ''
  for await (const part of counted(gateway, call, spent)) if (part.kind === 'text') text += part.text
  return text
}
