/** The pages for a forgotten password, at the path that the mail links to. Without a token the page requests the mail, with one it sets a new password. */
import type { ApiError } from '../../../core/errors.js'
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
import { html, isolated, fillMarkup } from '../../../core/http/text/html.js'
import { type NextSteps, nextSteps } from '../../../core/http/pages/next-steps.js'
import type { Locale } from '../../../core/i18n/locale.js'
import { pageTexts } from '../../../core/i18n/translate.js'
import { PasswordResetConfirmation, PasswordResetRequest } from './schema.js'
import type { PasswordResetService } from './service.js'

export const RESET_PATH = '/reset-password'

export function resetPage(service: Pick<PasswordResetService, 'request' | 'confirm' | 'emailOf'>, next: NextSteps): FormPage {
  /** Calls `then` with the e-mail of the token's user, or returns the page for an invalid token. */
  const withToken = async (context: PageContext, token: string, then: (email: string) => Page | Promise<Page>): Promise<Page> =>
    takeForm(
      context,
      { fields: [] },
      async () => then(await service.emailOf(token)),
      ({ refusal }) => invalidPage(context, refusal),
    )
  return {
    path: RESET_PATH,
    async show(context) {
      const token = context.query.get('token')
      if (token === null) return askPage(context, new Map(), NO_FAULT)
      return withToken(context, token, (email) => setPage(context, token, email, NO_FAULT))
    },
    async submit(context, form) {
      const token = form.get('token')
      if (token !== undefined) return withToken(context, token, (email) => set(context, token, email, form))
      const ask = async (): Promise<Page> => {
        const email = form.get('email')
        requireForm(PasswordResetRequest, { email }, context)
        await service.request(email!, context)
        return askedPage(context, email!)
      }
      return takeForm(context, { fields: askFields(context.locale) }, ask, (fault) => askPage(context, form, fault))
    },
  }

  function set(context: PageContext, token: string, email: string, form: Form): Promise<Page> {
    const action = async (): Promise<Page> => {
      const new_password = form.get('new_password')
      requireForm(PasswordResetConfirmation, { token, new_password }, context, repetitionIssues(form, 'new_password'))
      await service.confirm({ token, new_password: new_password! }, context)
      return donePage(context, next, email)
    }
    return takeForm(context, { fields: setFields(context.locale) }, action, (fault) =>
      fault.refusal.reason === 'reset_token_invalid' ? invalidPage(context, fault.refusal) : setPage(context, token, email, fault),
    )
  }
}

function setFields(locale: Locale): readonly Field[] {
  return newPasswordFields('new_password', pageTexts(locale).common.newPassword, locale)
}

function askFields(locale: Locale): readonly Field[] {
  return [{ name: 'email', label: pageTexts(locale).common.email, type: 'email', autocomplete: 'username' }]
}

function setPage(context: PageContext, token: string, email: string, fault: FormFault): Page {
  const { common, reset } = pageTexts(context.locale)
  const account: Field = { name: 'account', label: common.email, type: 'email', autocomplete: 'username', isFixed: true }
  const form = { fields: [account, ...setFields(context.locale)], values: new Map([['account', email]]), hidden: { token }, submit: reset.submit }
  return formPage(context, { title: reset.title, intro: html`<p>${fillMarkup(reset.intro, { email: isolated(email) })}</p>`, form, query: { token } }, fault)
}

function askPage(context: PageContext, values: Form, fault: FormFault): Page {
  const { askTitle: title, askIntro, askSubmit: submit } = pageTexts(context.locale).reset
  return formPage(context, { title, intro: html`<p>${askIntro}</p>`, form: { fields: askFields(context.locale), values, submit } }, fault)
}

function invalidPage({ locale }: PageContext, refusal: ApiError): Page {
  const { invalidTitle, invalid, again } = pageTexts(locale).reset
  return { title: invalidTitle, body: html`<h1>${invalidTitle}</h1><p>${invalid}</p><p><a href="?lang=${locale}">${again}</a></p>`, refusal, query: {} }
}

function askedPage({ locale }: PageContext, email: string): Page {
  const { askedTitle, asked } = pageTexts(locale).reset
  return { title: askedTitle, body: html`<h1>${askedTitle}</h1><p>${fillMarkup(asked, { email: isolated(email) })}</p>` }
}

function donePage({ locale }: PageContext, next: NextSteps, email: string): Page {
  const { doneTitle, done } = pageTexts(locale).reset
  return { title: doneTitle, body: html`<h1>${doneTitle}</h1><p>${fillMarkup(done, { email: isolated(email) })}</p>${nextSteps(next, locale)}`, query: {} }
}
