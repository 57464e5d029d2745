/** Slack: incoming webhooks with Block Kit. Names are in `plain_text`, which has no markup; only the link is `mrkdwn`. */
import type { ChatLink, ChatMessage, MessagingGateway } from './gateway.js'

/** Limits of Block Kit: a header, and the text of a section. They are taken for UTF-16 units of the escaped text, the strictest reading. */
const HEADER_CHARACTERS = 150
const SECTION_CHARACTERS = 3000

const ENTITIES: Readonly<Record<string, string>> = { '&': '&amp;', '<': '&lt;', '>': '&gt;' }

export const SLACK: MessagingGateway = {
  provider: 'slack',
  render({ title, text, link }: ChatMessage): string {
    const blocks = [
      { type: 'header', text: plain(title, HEADER_CHARACTERS) },
      ...(text === '' ? [] : [{ type: 'section', text: plain(text, SECTION_CHARACTERS) }]),
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

function plain(text: string, limit: number) {
  return { type: 'plain_text', text: escapedWithin(text, limit), emoji: false }
}

/** Cuts between characters, so that no entity and no surrogate pair is split. */
function escapedWithin(text: string, limit: number): string {
  const whole = escaped(text)
  if (whole.length <= limit) return whole
  let cut = ''
  for (const character of text) {
    const next = cut + escaped(character)
    if (next.length >= limit) break
    cut = next
  }
  return `${cut}…`
}

/** `&`, `<` and `>` begin and end all control sequences: mentions, links and special words. */
function escaped(text: string): string {
  return text.replace(/[&<>]/g, (character) => ENTITIES[character])
}

function linkText({ label, url }: ChatLink): string {
  return `<${escaped(url).replaceAll('|', '%7C')}|${escaped(label)}>`
}
