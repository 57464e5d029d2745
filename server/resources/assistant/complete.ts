/** Reads a whole answer of the provider. */
import type { AiGateway, TokenUsage } from '../../gateways/ai/gateway.js'
import type { Prompt } from './prompt.js'
import { plausibleUsage } from './usage.js'

export interface WholeAnswer {
  readonly text: string
  readonly usage: TokenUsage
}

/** @throws AiProviderError */
export async function complete(gateway: AiGateway, { messages, text: prompt }: Prompt, maxTokens: number, signal: AbortSignal): Promise<WholeAnswer> {
  let text = ''
  let reported: TokenUsage | null = null
  for await (const part of gateway.stream({ messages, maxTokens, signal })) {
    if (part.kind === 'text') text += part.text
    else reported = part.usage
  }
  return { text, usage: plausibleUsage(reported, prompt, text) }
}
