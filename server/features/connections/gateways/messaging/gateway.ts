/**
 * What the service needs of a chat: one file beside this one implements it for each provider, `index.ts` is the table. A message is plain text whose names
 * are chosen by members, so a provider's file escapes all of it: it must not create markup, a mention or a link.
 */
import type { MessagingProvider } from '../providers.js'

/** A message in plain text. */
export interface ChatMessage {
  /** One line. */
  readonly title: string
  /** One line; empty: none. */
  readonly text: string
  /** Null: the message has no link. */
  readonly link: ChatLink | null
}

export interface ChatLink {
  readonly label: string
  /** An address of this service. */
  readonly url: string
}

export interface MessagingGateway {
  readonly provider: MessagingProvider
  /** Returns the JSON body of the request to the incoming webhook. */
  render(message: ChatMessage): string
  /** Statuses by which the provider says that the webhook does not exist any more. */
  readonly goneStatuses: ReadonlySet<number>
  /** Whether an answer with a status 2xx means that the message was posted. */
  isPosted(body: string): boolean
}

/** Shortens a text by code points, so that no surrogate pair is split. */
export function shortened(text: string, limit: number): string {
  const characters = [...text]
  return characters.length <= limit ? text : `${characters.slice(0, limit - 1).join('')}…`
}
