/** The page that shows the report of a test to the member who began it. */
import type { Static } from 'typebox'
import { FORM_POLICY, pageDocument } from '../../../core/http/pages/form-markup.js'
import { fillMarkup, html, isolated, type Markup, verbatim } from '../../../core/http/text/html.js'
import type { Locale } from '../../../core/i18n/locale.js'
import { pageTexts } from '../../../core/i18n/translate.js'
import type { SsoTestReport } from './schema.js'

export const TEST_PAGE_POLICY = FORM_POLICY

/** @param next where the link of the page leads */
export function testPage(report: Static<typeof SsoTestReport>, next: string, locale: Locale): string {
  const texts = pageTexts(locale).ssoTest
  const { provider_name, issuer, subject, email, email_verified, name, claims, groups, groups_status, outcome, account, refusal, role, project_roles } = report
  const codes = (values: readonly string[]): Markup => (values.length === 0 ? html`${texts.none}` : html`<ul>${values.map((value) => html`<li><code>${value}</code></li>`)}</ul>`)
  const row = (label: string, value: Markup): Markup => html`<h3>${label}</h3>\n<div>${value}</div>\n`
  const text = (value: string | null): Markup => (value === null ? html`${texts.none}` : isolated(value))
  const verified = email_verified === null ? texts.unsaid : email_verified ? texts.yes : texts.no
  const result =
    refusal === null
      ? html`<p>${fillMarkup(texts[outcome === 'refused' ? 'created' : outcome], { email: isolated(account ?? email ?? '') })}</p>
${row(texts.role, html`<code>${role ?? ''}</code>`)}${project_roles.length === 0 ? '' : row(texts.projectRoles, codes(project_roles.map((one) => `${one.project_id}: ${one.role}`)))}`
      : html`<p class="failure">${refusal.message} ${refusal.hint}</p>`
  const body = html`<h1>${texts.title}</h1>
<p>${fillMarkup(texts.intro, { provider: isolated(provider_name) })}</p>
<h2>${texts.result}</h2>
${result}
<h2>${texts.sent}</h2>
${row(texts.email, text(email))}${row(texts.verified, html`${verified}`)}${row(texts.name, text(name))}${row(texts.groups, groups === null ? html`${texts[groups_status === 'read' ? 'none' : groups_status]}` : codes(groups))}${row(texts.issuer, html`<code>${issuer}</code>`)}${row(texts.subject, html`<code>${subject}</code>`)}${row(texts.claims, codes(claims))}<p><a href="${verbatim(next)}">${texts.next}</a></p>`
  // The address of the page holds a code that was used: no GET shows it again.
  return pageDocument({ title: texts.title, body }, locale, null)
}
