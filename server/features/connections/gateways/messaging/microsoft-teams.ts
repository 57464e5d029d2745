/** Microsoft Teams: an Adaptive Card to an incoming webhook, or to a flow that posts it (Workflows). Names are in text runs, which have no markup. */
import { type ChatMessage, type MessagingGateway, shortened } from './gateway.js'

/** A message has at most 28 KB. */
const TEXT_CHARACTERS = 4000
/** The version that desktop, web and mobile clients show. */
const CARD_VERSION = '1.4'
/** An incoming webhook answers 200 also when Teams refused the message behind it. */
const FAILURE = 'Webhook message delivery failed'

export const MICROSOFT_TEAMS: MessagingGateway = {
  provider: 'microsoft_teams',
  render({ title, text, link }: ChatMessage): string {
    const body = [line(title, { weight: 'Bolder', size: 'Medium' }), ...(text === '' ? [] : [line(text)])]
    const content = {
      $schema: 'http://adaptivecards.io/schemas/adaptive-card.json',
      type: 'AdaptiveCard',
      version: CARD_VERSION,
      body,
      ...(link === null ? {} : { actions: [{ type: 'Action.OpenUrl', title: link.label, url: link.url }] }),
    }
    return JSON.stringify({ type: 'message', attachments: [{ contentType: 'application/vnd.microsoft.card.adaptive', contentUrl: null, content }] })
  },
  // A removed webhook is 404 or 410, a deleted flow 404.
  goneStatuses: new Set([404, 410]),
  isPosted: (body) => !body.includes(FAILURE),
}

function line(text: string, style: Readonly<Record<string, string>> = {}) {
  return { type: 'RichTextBlock', inlines: [{ type: 'TextRun', text: shortened(text, TEXT_CHARACTERS), ...style }] }
}
