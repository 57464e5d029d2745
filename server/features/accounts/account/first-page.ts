/** The page at `/`: what this is, and where to go on. Browsers get it; programs get what an unknown path answers. */
import type { FormPage } from '../../../core/http/pages/form-pages.js'
import { firstCall, type NextSteps, nextSteps } from '../../../core/http/pages/next-steps.js'
import { html, type Markup } from '../../../core/http/text/html.js'
import type { Locale } from '../../../core/i18n/locale.js'
import { pageTexts } from '../../../core/i18n/translate.js'
import { PLAYGROUND_PATH } from '../../../core/playground-site.js'
import { FIRST_PATH, SETUP_PATH } from './page.js'
import type { AccountService } from './service.js'

/** Path below the interface at which a login creates a key. */
const API_KEYS = '/platform/organizations/{organization_id}/api-keys'

export interface FirstPageOptions {
  readonly account: Pick<AccountService, 'bootstrapStatus'>
  /** Path of the page where a new password is set. */
  readonly resetPath: string
  readonly next: NextSteps
  /** Known when all wings are open. */
  readonly hasPlayground: () => boolean
}

export function firstPage({ account, resetPath, next, hasPlayground }: FirstPageOptions): FormPage {
  return {
    path: FIRST_PATH,
    async show({ locale }) {
      const { bootstrapAvailable } = await account.bootstrapStatus()
      const { first } = pageTexts(locale)
      const isFirstAction = !hasPlayground()
      const links: readonly (readonly [path: string, text: string])[] = [
        ...(bootstrapAvailable ? [] : [[`${resetPath}?lang=${locale}`, first.forgotten] as const]),
        ['/readyz', first.health],
      ]
      return {
        title: first.title,
        body: html`<h1>${first.title}</h1>
<p>${first.intro}</p>
${isFirstAction ? '' : html`<p>${first.playgroundIntro}</p>\n<p><a class="action" href="${below(PLAYGROUND_PATH)}">${first.playground}</a></p>\n`}
${bootstrapAvailable ? waysToUsers(next, locale, isFirstAction) : waysToCalls(next, locale)}
<h2>${first.more}</h2>
<ul>${links.map(([path, text]): Markup => html`<li><a href="${below(path)}">${text}</a></li>\n`)}</ul>`,
      }
    },
  }
}

/** The links of the page for a service without users. */
function waysToUsers(next: NextSteps, locale: Locale, isFirstAction: boolean): Markup {
  const { first } = pageTexts(locale)
  return html`<h2>${first.api}</h2>
${documentLink(next, locale)}<p>${first.empty}</p>
<p><a class="action${isFirstAction ? '' : ' second'}" href="${below(SETUP_PATH)}?lang=${locale}">${first.setUp}</a></p>`
}

/** For those who have an account. */
function waysToCalls(next: NextSteps, locale: Locale): Markup {
  const { first, setup } = pageTexts(locale)
  return html`${next.hasPublicDocument ? html`<h2>${first.api}</h2>\n${documentLink(next, locale)}` : ''}<h2>${first.call}</h2><p>${first.callIntro}</p>${firstCall(next, locale, first.yourKey)}
${nextSteps({ ...next, hasPublicDocument: false }, locale, [[setup.key, API_KEYS]])}`
}

function documentLink({ hasPublicDocument }: NextSteps, locale: Locale): Markup {
  return hasPublicDocument ? html`<p><a href="api/v1/docs">${pageTexts(locale).common.documentation}</a></p>\n` : html``
}

/** Links are relative, because a proxy may put the service below a folder. */
function below(path: string): string {
  return path.slice(1)
}
