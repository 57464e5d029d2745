/** The pages for a forgotten password, at the path that the mail links to: without a token it requests the mail, with one it sets a new password. */
import { PASSWORD_LEAST_CHARACTERS } from '../../auth/password.js'
import type { ApiError } from '../../errors.js'
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
import { html, isolated, sentence } from '../../http/text/html.js'
import { type NextSteps, nextSteps } from '../../http/pages/next-steps.js'
import type { Locale } from '../../i18n/locale.js'
import { fill, pageTexts } from '../../i18n/translate.js'
import { PasswordResetConfirmation, PasswordResetRequest } from './schema.js'
import type { PasswordResetService } from './service.js'

export function resetPage(service: Pick<PasswordResetService, 'request' | 'confirm' | 'emailOf'>, next: NextSteps): FormPage {
  /** Calls `then` with the e-mail of the token's user, or gives the page for an invalid token. */
  const withToken = async (visit: PageContext, token: string, then: (email: string) => Page | Promise<Page>): Promise<Page> =>
    takeForm(
      visit,
      { fields: [] },
      async () => then(await service.emailOf(token)),
      ({ refusal }) => invalidPage(visit, refusal),
    )
  return {
    path: '/reset-password',
    async show(visit) {
      const token = visit.query.get('token')
      if (token === null) return askPage(visit, new Map(), NO_FAULT)
      return withToken(visit, token, (email) => setPage(visit, token, email, NO_FAULT))
    },
    async submit(visit, form) {
      const token = form.get('token')
      if (token !== undefined) return withToken(visit, token, (email) => set(visit, token, email, form))
      const ask = async (): Promise<Page> => {
        const email = form.get('email')
        requireForm(PasswordResetRequest, { email }, visit)
        await service.request(email!, visit)
        return askedPage(visit, email!)
      }
      return takeForm(visit, { fields: askFields(visit.locale) }, ask, (fault) => askPage(visit, form, fault))
    },
  }

  function set(visit: PageContext, token: string, email: string, form: Form): Promise<Page> {
    const action = async (): Promise<Page> => {
      const new_password = form.get('new_password')
      requireForm(PasswordResetConfirmation, { token, new_password }, visit, repetitionIssues(form, 'new_password'))
      await service.confirm({ token, new_password: new_password! }, visit)
      return donePage(visit, next, email)
    }
    return takeForm(visit, { fields: setFields(visit.locale) }, action, (fault) =>
      fault.refusal.reason === 'reset_token_invalid' ? invalidPage(visit, fault.refusal) : setPage(visit, token, email, fault),
    )
  }
}

function setFields(locale: Locale): readonly Field[] {
  const { newPassword, passwordHint, repeat } = pageTexts(locale).common
  return [
    { name: 'new_password', label: newPassword, type: 'password', autocomplete: 'new-password', hint: fill(passwordHint, { limit: PASSWORD_LEAST_CHARACTERS }) },
    { name: REPETITION, label: repeat, type: 'password', autocomplete: 'new-password' },
  ]
}

function askFields(locale: Locale): readonly Field[] {
  return [{ name: 'email', label: pageTexts(locale).common.email, type: 'email', autocomplete: 'username' }]
}

function setPage(visit: PageContext, token: string, email: string, fault: FormFault): Page {
  const { common, reset } = pageTexts(visit.locale)
  const account: Field = { name: 'account', label: common.email, type: 'email', autocomplete: 'username', isFixed: true }
  const form = { fields: [account, ...setFields(visit.locale)], values: new Map([['account', email]]), hidden: { token }, submit: reset.submit }
  return formPage(visit, { title: reset.title, intro: html`<p>${sentence(reset.intro, { email: isolated(email) })}</p>`, form, query: { token } }, fault)
}

function askPage(visit: PageContext, values: Form, fault: FormFault): Page {
  const { askTitle: title, askIntro, askSubmit: submit } = pageTexts(visit.locale).reset
  return formPage(visit, { title, intro: html`<p>${askIntro}</p>`, form: { fields: askFields(visit.locale), values, submit } }, fault)
}

function invalidPage({ locale }: PageContext, refusal: ApiError): Page {
  const { invalidTitle, invalid, again } = pageTexts(locale).reset
  return { title: invalidTitle, body: html`<h1>${invalidTitle}</h1><p>${invalid}</p><p><a href="?lang=${locale}">${again}</a></p>`, refusal, query: {} }
}

function askedPage({ locale }: PageContext, email: string): Page {
  const { askedTitle, asked } = pageTexts(locale).reset
  return { title: askedTitle, body: html`<h1>${askedTitle}</h1><p>${sentence(asked, { email: isolated(email) })}</p>` }
}

function donePage({ locale }: PageContext, next: NextSteps, email: string): Page {
  const { doneTitle, done } = pageTexts(locale).reset
  return { title: doneTitle, body: html`<h1>${doneTitle}</h1><p>${sentence(done, { email: isolated(email) })}</p>${nextSteps(next, locale)}`, query: {} }
}
