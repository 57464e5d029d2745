/** The contract of providers of language models. */

/** How a provider is reached. */
export interface AiConnection {
  /** Base address of an API that is compatible with OpenAI's, with its version: `https://api.openai.com/v1`. */
  readonly baseUrl: string
  /** Null: the server takes none. */
  readonly apiKey: string | null
  readonly model: string
  /** Null: the provider has none. */
  readonly embeddingModel: string | null
}

export interface ChatMessage {
  readonly role: 'system' | 'user' | 'assistant'
  readonly content: string
}

export interface CompletionRequest {
  readonly messages: readonly ChatMessage[]
  /** Maximum tokens of the answer. */
  readonly maxTokens: number
  /** Ends the provider's stream. */
  readonly signal: AbortSignal
  /** When the first call for the same answer began (`performance.now()`): the time of the first part counts from then on. Default: now. */
  readonly since?: number
}

/** As the provider counts. */
export interface TokenUsage {
  readonly promptTokens: number
  readonly completionTokens: number
  /** Tokens of the prompt that the provider had in its cache. */
  readonly cachedTokens: number
}

/** A part of an answer. The usage is the last part; `null`: the provider did not report it, or nothing plausible. */
export type CompletionPart = { readonly kind: 'text'; readonly text: string } | { readonly kind: 'end'; readonly usage: TokenUsage | null; readonly isCut: boolean }

/** Every method throws `AiProviderError`. */
export interface AiGateway {
  /** Yields an answer as it arrives. A reader that stops early ends the provider's stream. */
  stream(request: CompletionRequest): AsyncGenerator<CompletionPart, void, undefined>
  /** Returns a vector for each text; all have one length. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<readonly (readonly number[])[]>
  /** Asks for the list of models: an answer shows that the server is there and accepts the key. */
  ping(signal: AbortSignal): Promise<void>
}

/** Creates the gateway of a connection. */
export type OpenAi = (connection: AiConnection) => AiGateway
