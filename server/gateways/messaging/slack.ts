/** Slack: incoming webhooks with Block Kit. Names are in `plain_text`, which has no markup; only the link is `mrkdwn`. */
import { type ChatLink, type ChatMessage, type MessagingGateway, shortened } from './gateway.js'

/** Limits of Block Kit: a header, and the text of a section. */
const HEADER_CHARACTERS = 150
const SECTION_CHARACTERS = 3000

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

export const SLACK: MessagingGateway = {
  provider: 'slack',
  render({ title, text, link }: ChatMessage): string {
    const blocks = [
      { type: 'header', text: plain(shortened(title, HEADER_CHARACTERS)) },
      ...(text === '' ? [] : [{ type: 'section', text: plain(shortened(text, SECTION_CHARACTERS)) }]),
      // `verbatim`: names of channels and users, and addresses, are not turned into links.
      ...(link === null ? [] : [{ type: 'section', text: { type: 'mrkdwn', text: linkText(link), verbatim: true } }]),
    ]
    // The text is for clients that do not show blocks, and for notifications.
    return JSON.stringify({ text: escaped(title), mrkdwn: false, blocks })
  },
  // `no_service` and `channel_not_found` are 404, `channel_is_archived` is 410.
  goneStatuses: new Set([404, 410]),
  isPosted: () => true,
}

function plain(text: string) {
  return { type: 'plain_text', text: escaped(text), emoji: false }
}

/** `&`, `<` and `>` begin and end all control sequences: mentions, links and special words. */
function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => ENTITIES[character])
}

function linkText({ label, url }: ChatLink): string {
  return `<${escaped(url).replaceAll('|', '%7C')}|${escaped(label)}>`
}
