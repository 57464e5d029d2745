/** The page of a refusal, for routes that browsers are sent to: what happened, what to do, and the id under which the log has it. */
import { errorTexts, fill, pageTexts } from '../../i18n/translate.js'
import type { FieldError } from '#requests'
import type { RefusalPage } from '../route.js'
import { html, verbatim } from '../text/html.js'
import { FORM_POLICY, pageDocument, waitText } from './form-markup.js'

/**
 * Errors contain no texts of the provider (`sso/oidc/oidc-error.ts`), so the page repeats nothing from the link that led here. `details.login_url` becomes a
 * link.
 */
export const refusalPage: RefusalPage = ({ reason, params, details, headers }, { locale, requestId }) => {
  const texts = pageTexts(locale).common
  const { message, hint } = errorTexts(reason, locale, params)
  const fields = (details.errors ?? []) as readonly FieldError[]
  const seconds = Number(headers['Retry-After'] ?? Number.NaN)
  const body = html`<h1>${texts.problem}</h1>
<p>${message}</p>
${fields.length === 0 ? '' : html`<ul>${fields.map(({ path, message: fault }) => html`<li><code>${path}</code> ${fault}</li>`)}</ul>`}<p>${hint}${Number.isNaN(seconds) ? '' : ` ${waitText(seconds, locale)}`}</p>
${typeof details.login_url === 'string' ? html`<p><a href="${verbatim(details.login_url)}">${texts.signIn}</a></p>` : ''}
<p class="quiet">${fill(texts.request, { id: requestId })}</p>`
  // The address of the page holds a code that was used: no GET shows it again.
  return { document: pageDocument({ title: texts.problem, body }, locale, null), policy: FORM_POLICY }
}
