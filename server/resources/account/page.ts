/** The page that creates the first administrator. It is public, like `POST /auth/bootstrap`. */
import { PASSWORD_MIN_CHARACTERS } from '../../auth/password.js'
import type { SessionView } from '../../auth/session-view.js'
import { ApiError } from '../../errors.js'
import type { Field } from '../../http/pages/form-markup.js'
import {
  type Form,
  type FormFault,
  type FormPage,
  formPage,
  NO_FAULT,
  type Page,
  type PageContext,
  REPETITION,
  repetitionIssues,
  requireForm,
  takeForm,
} from '../../http/pages/form-pages.js'
import { html, isolated, fillMarkup } from '../../http/text/html.js'
import { type NextSteps, nextSteps } from '../../http/pages/next-steps.js'
import type { Locale } from '../../i18n/locale.js'
import { fill, pageTexts } from '../../i18n/translate.js'
import { AuthBootstrapRequest } from './schema.js'
import type { AccountService } from './service.js'

export const SETUP_PATH = '/setup'

export function setupPage(account: Pick<AccountService, 'bootstrap' | 'bootstrapStatus'>, next: NextSteps): FormPage {
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
        return donePage(context, next, view)
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
    { name: 'password', label: common.password, type: 'password', autocomplete: 'new-password', hint: fill(common.passwordHint, { limit: PASSWORD_MIN_CHARACTERS }) },
    { name: REPETITION, label: common.repeat, type: 'password', autocomplete: 'new-password' },
  ]
}

function setupForm(context: PageContext, values: Form, fault: FormFault): Page {
  const { title, intro, submit } = pageTexts(context.locale).setup
  return formPage(context, { title, intro: html`<p>${intro}</p>`, form: { fields: fieldsIn(context.locale), values, submit } }, fault)
}

function closedPage({ locale }: PageContext, refusal: ApiError): Page {
  const { closedTitle, closed } = pageTexts(locale).setup
  return { title: closedTitle, body: html`<h1>${closedTitle}</h1><p>${closed}</p>`, refusal }
}

function donePage({ locale }: PageContext, next: NextSteps, { user, current }: SessionView): Page {
  const { doneTitle, done, invite, key } = pageTexts(locale).setup
  const { _id, name } = current!.organization
  const steps = nextSteps(next, locale, [
    [invite, `/auth/organizations/${_id}/invitations`],
    [key, `/platform/organizations/${_id}/api-keys`],
  ])
  return { title: doneTitle, body: html`<h1>${doneTitle}</h1><p>${fillMarkup(done, { email: isolated(user.email), organization: isolated(name) })}</p>${steps}` }
}
