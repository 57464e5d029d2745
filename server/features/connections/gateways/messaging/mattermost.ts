/** Mattermost: incoming webhooks with Markdown. */
import type { ChatMessage, MessagingGateway } from './gateway.js'

/** ASCII punctuation, all of which Markdown lets escape. Escaped, it forms no markup, no address, and no `<!channel>` of Slack, which Mattermost reads too. */
const PUNCTUATION = /[!-/:-@[-`{-~]/g
/** Invisible, and not part of a name: `@` before it mentions nobody, even if the parser keeps the backslash. */
const ZERO_WIDTH_SPACE = '\u200b'

export const MATTERMOST: MessagingGateway = {
  provider: 'mattermost',
  render({ title, text, link }: ChatMessage): string {
    const lines = [`**${escaped(title)}**`, ...(text === '' ? [] : [escaped(text)]), ...(link === null ? [] : [`[${escaped(link.label)}](${escapedUrl(link.url)})`])]
    return JSON.stringify({ text: lines.join('\n') })
  },
  // A deleted webhook is 404; versions before 10 answer 400, which also means other errors.
  goneStatuses: new Set([404, 410]),
  isPosted: () => true,
}

function escaped(text: string): string {
  return text.replace(PUNCTUATION, (character) => (character === '@' ? `\\@${ZERO_WIDTH_SPACE}` : `\\${character}`))
}

function escapedUrl(url: string): string {
  return url.replace(/[()<>\\]/g, (character) => `%${character.charCodeAt(0).toString(16)}`)
}
