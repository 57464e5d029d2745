/** The part of a page that describes the next steps, which use the interface. */
import type { Locale } from '../../i18n/locale.js'
import { pageTexts } from '../../i18n/translate.js'
import type { PublicAddress } from '../../public-address.js'
import { html, type Markup } from '../text/html.js'

export interface NextSteps {
  readonly address: Pick<PublicAddress, 'api'>
  /** Whether the interface document is public. */
  readonly hasPublicDocument: boolean
}

/** The call that runs an event, for a shell. @param key an API key, or what stands for one */
export function firstCall({ address: { api } }: Pick<NextSteps, 'address'>, locale: Locale, key: string): Markup {
  const lines = [
    `curl -s ${api}/analysis/logtest-native`,
    `  -H 'X-API-Key: ${key}'`,
    "  -H 'Content-Type: application/json'",
    `  -H 'x-locale: ${locale}'`,
    `  -d '{"input": {"event": "Jan  5 10:11:12 web1 sshd[2201]: Invalid user admin from 203.0.113.7 port 50122"}}'`,
  ]
  return html`<pre><code>${lines.join(' \\\n')}</code></pre>`
}

/** @param more steps after the login: a text and the path of its route */
export function nextSteps({ address: { api }, hasPublicDocument }: NextSteps, locale: Locale, more: readonly (readonly [text: string, path: string])[] = []): Markup {
  const texts = pageTexts(locale).common
  const steps = [[texts.logIn, '/auth/login'] as const, ...more]
  return html`<h2>${texts.next}</h2>
<ul>
${steps.map(([text, path]) => html`<li>${text} <code>POST ${api}${path}</code></li>\n`)}${hasPublicDocument ? html`<li><a href="${api}/docs">${texts.documentation}</a></li>` : ''}
</ul>`
}
