/** The page that creates the first administrator. It is public, like `POST /auth/bootstrap`. */
import type { RequestContext } from '../../../core/auth/request-context.js'
import type { OpenedSession, SessionView } from '../../../core/auth/session-view.js'
import { ApiError } from '../../../core/errors.js'
import type { Field } from '../../../core/http/pages/form-markup.js'
import {
  type Form,
  type FormFault,
  type FormPage,
  formPage,
  newPasswordFields,
  NO_FAULT,
  type Page,
  type PageContext,
  repetitionIssues,
  requireForm,
  takeForm,
} from '../../../core/http/pages/form-pages.js'
import { html, isolated, fillMarkup, type Markup } from '../../../core/http/text/html.js'
import { firstCall, type NextSteps, nextSteps } from '../../../core/http/pages/next-steps.js'
import type { Locale } from '../../../core/i18n/locale.js'
import { fill, pageTexts } from '../../../core/i18n/translate.js'
import type { ApiKeysService, RevealedKey } from '../api-keys/service.js'
import { AuthBootstrapRequest } from './schema.js'
import type { AccountService } from './service.js'

export const SETUP_PATH = '/setup'
/** Path of the first page. */
export const FIRST_PATH = '/'
/** Life of the key with which the page ends: long enough to try the service, and short enough for a key that nobody asked for. */
const KEY_DAYS = 30
const KEY_NAME = 'setup'
const DAY_MS = 24 * 60 * 60 * 1000

/** Creates an API key of the first administrator. */
export type CreateKey = (founder: OpenedSession['view'], request: Parameters<ApiKeysService['createFor']>[2], context: RequestContext) => Promise<RevealedKey>

export function setupPage(account: Pick<AccountService, 'bootstrap' | 'bootstrapStatus'>, createKey: CreateKey, next: NextSteps, clock: () => number): FormPage {
  /** The first API key; null: it cannot be created, but the administrator exists. */
  const firstKey = async (view: SessionView, context: PageContext): Promise<RevealedKey | null> => {
    const expires_at = new Date(clock() + KEY_DAYS * DAY_MS).toISOString()
    try {
      return await createKey(view, { name: KEY_NAME, scopes: ['analysis:run'], expires_at }, context)
    } catch (error) {
      if (error instanceof ApiError) return null
      throw error
    }
  }
  return {
    path: SETUP_PATH,
    async show(context) {
      const { bootstrapAvailable } = await account.bootstrapStatus()
      return bootstrapAvailable ? setupForm(context, new Map(), NO_FAULT) : closedPage(context, new ApiError('resource_missing'))
    },
    submit(context, form) {
      const action = async (): Promise<Page> => {
        const [organization_name, email, display_name, password] = ['organization_name', 'email', 'display_name', 'password'].map((name) => form.get(name))
        const request = { organization_name, email, display_name, password }
        requireForm(AuthBootstrapRequest, request, context, repetitionIssues(form, 'password'))
        const { view } = await account.bootstrap(request as AuthBootstrapRequest, context)
        return donePage(context, next, view, await firstKey(view, context))
      }
      return takeForm(context, { fields: fieldsIn(context.locale) }, action, (fault) =>
        fault.refusal.reason === 'bootstrap_done' ? closedPage(context, fault.refusal) : setupForm(context, form, fault),
      )
    },
  }
}

function fieldsIn(locale: Locale): readonly Field[] {
  const { common, setup } = pageTexts(locale)
  return [
    { name: 'organization_name', label: setup.organization, type: 'text', autocomplete: 'organization' },
    { name: 'display_name', label: common.displayName, type: 'text', autocomplete: 'name' },
    { name: 'email', label: common.email, type: 'email', autocomplete: 'username' },
    ...newPasswordFields('password', common.password, locale),
  ]
}

function setupForm(context: PageContext, values: Form, fault: FormFault): Page {
  const { title, intro, submit } = pageTexts(context.locale).setup
  return formPage(context, { title, intro: html`<p>${intro}</p>`, form: { fields: fieldsIn(context.locale), values, submit } }, fault)
}

function closedPage({ locale }: PageContext, refusal: ApiError): Page {
  const { closedTitle, closed } = pageTexts(locale).setup
  return { title: closedTitle, body: html`<h1>${closedTitle}</h1><p>${closed}</p>${homeLink(locale)}`, refusal }
}

function donePage({ locale }: PageContext, next: NextSteps, { user, current }: SessionView, created: RevealedKey | null): Page {
  const { doneTitle, done, invite, key, keyTitle, keyIntro } = pageTexts(locale).setup
  const { first } = pageTexts(locale)
  const { _id, name } = current!.organization
  const steps = nextSteps(next, locale, [
    [invite, `/auth/organizations/${_id}/invitations`],
    [key, `/platform/organizations/${_id}/api-keys`],
  ])
  const call =
    created === null
      ? html``
      : html`<h2>${keyTitle}</h2><p>${fill(keyIntro, { date: created.key.expires_at?.toISOString().slice(0, 10) ?? '' })}</p>
<pre><code>${created.secret}</code></pre><h2>${first.call}</h2><p>${first.callWithKey}</p>${firstCall(next, locale, created.secret)}`
  return {
    title: doneTitle,
    body: html`<h1>${doneTitle}</h1><p>${fillMarkup(done, { email: isolated(user.email), organization: isolated(name) })}</p>${call}${steps}${homeLink(locale)}`,
    // The key is shown once.
    query: null,
  }
}

/** The link to the first page, from the page beside it. */
function homeLink(locale: Locale): Markup {
  return html`<p><a href="./?lang=${locale}">${pageTexts(locale).first.home}</a></p>`
}
