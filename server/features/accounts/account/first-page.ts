/** The page at `/`: what this is, and where to go on. Browsers get it; programs get what an unknown path answers. */
import type { FormPage } from '../../../core/http/pages/form-pages.js'
import { firstCall, type NextSteps, nextSteps } from '../../../core/http/pages/next-steps.js'
import { html, type Markup } from '../../../core/http/text/html.js'
import { pageTexts } from '../../../core/i18n/translate.js'
import { FIRST_PATH, SETUP_PATH } from './page.js'
import type { AccountService } from './service.js'

/** Path below the interface at which a login creates a key. */
const API_KEYS = '/platform/organizations/{organization_id}/api-keys'

/** @param resetPath of the page where a new password is set */
export function firstPage(account: Pick<AccountService, 'bootstrapStatus'>, resetPath: string, next: NextSteps): FormPage {
  return {
    path: FIRST_PATH,
    async show({ locale }) {
      const { bootstrapAvailable } = await account.bootstrapStatus()
      const { first, setup, common } = pageTexts(locale)
      const start = bootstrapAvailable
        ? html`<p>${first.empty}</p><p><a class="action" href="${below(SETUP_PATH)}?lang=${locale}">${first.setUp}</a></p>`
        : html`<h2>${first.call}</h2><p>${first.callIntro}</p>${firstCall(next, locale, first.yourKey)}
${nextSteps(next, locale, [[setup.key, API_KEYS]])}`
      const links: readonly (readonly [path: string, text: string])[] = [
        // The next steps end with it.
        ...(bootstrapAvailable && next.hasPublicDocument ? [['/api/v1/docs', common.documentation] as const] : []),
        ...(bootstrapAvailable ? [] : [[`${resetPath}?lang=${locale}`, first.forgotten] as const]),
        ['/readyz', first.health],
      ]
      return {
        title: first.title,
        body: html`<h1>${first.title}</h1>
<p>${first.intro}</p>
${start}
<h2>${first.more}</h2>
<ul>${links.map(([path, text]): Markup => html`<li><a href="${below(path)}">${text}</a></li>\n`)}</ul>`,
      }
    },
  }
}

/** Links are relative, because a proxy may put the service below a folder. */
function below(path: string): string {
  return path.slice(1)
}
