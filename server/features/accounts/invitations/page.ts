/** The page that accepts an invitation, at the path that its mail links to. */
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
import { issue } from '../../../core/http/validation/issue.js'
import type { Locale } from '../../../core/i18n/locale.js'
import { fill, pageTexts } from '../../../core/i18n/translate.js'
import { InvitationAcceptRequest } from './schema.js'
import type { InvitationsService, Invited } from './service.js'

/** Input for the code of the second factor. */
const CODE = 'code'

export function invitationPage(invitations: Pick<InvitationsService, 'invited' | 'accept'>, next: NextSteps): FormPage {
  /** Calls `then` with the invitation, or returns the page for one that cannot be accepted. */
  const withInvitation = (context: PageContext, then: (invited: Invited) => Page | Promise<Page>): Promise<Page> =>
    takeForm(
      context,
      { fields: [] },
      async () => then(await invitations.invited(context.params.token)),
      ({ refusal }) => {
        const page = overPage(context, refusal)
        if (page === null) throw refusal
        return page
      },
    )
  return {
    path: '/invitations/{token}',
    show: (context) => withInvitation(context, (invited) => acceptPage(context, invited, new Map(), NO_FAULT)),
    submit: (context, form) => withInvitation(context, (invited) => accept(context, invited, form)),
  }

  function accept(context: PageContext, invited: Invited, form: Form): Promise<Page> {
    const { locale, params } = context
    const { hasAccount, invitation, organization } = invited
    const action = async (): Promise<Page> => {
      const [display_name, password] = [form.get('display_name'), form.get('password')]
      const nameless = display_name === undefined ? [issue('/display_name', 'required', null)] : []
      const code = form.get(CODE)
      requireForm(InvitationAcceptRequest, { display_name, password, code }, context, hasAccount ? [] : [...nameless, ...repetitionIssues(form, 'password')])
      await invitations.accept(params.token, { password: password!, ...(display_name === undefined ? {} : { display_name }), ...(code === undefined ? {} : { code }) }, context)
      return donePage(context, next, organization, invitation.email)
    }
    const { wrongPassword, codeRequired, wrongCode } = pageTexts(locale).invitation
    const placed = { login_failed: ['password', wrongPassword], second_factor_code_required: [CODE, codeRequired], second_factor_wrong: [CODE, wrongCode] } as const
    return takeForm(context, { fields: fieldsOf(invited, locale, true), placed }, action, (fault) => overPage(context, fault.refusal) ?? acceptPage(context, invited, form, fault))
  }
}

function fieldsOf({ hasAccount }: Invited, locale: Locale, withCode: boolean): readonly Field[] {
  const { email, displayName, password } = pageTexts(locale).common
  const code: Field = { name: CODE, label: pageTexts(locale).invitation.code, type: 'text', autocomplete: 'one-time-code' }
  const account: Field = { name: 'account', label: email, type: 'email', autocomplete: 'username', isFixed: true }
  if (hasAccount) return [account, { name: 'password', label: password, type: 'password', autocomplete: 'current-password' }, ...(withCode ? [code] : [])]
  return [account, { name: 'display_name', label: displayName, type: 'text', autocomplete: 'name' }, ...newPasswordFields('password', password, locale)]
}

function acceptPage(context: PageContext, invited: Invited, sent: Form, fault: FormFault): Page {
  const { hasAccount, organization, invitation } = invited
  const { title, intro, knownAccount, newAccount, forgotten, submit } = pageTexts(context.locale).invitation
  // Shown only after the password: who has none must not learn whether the account has a second factor.
  const withCode = fault.errors.has(CODE)
  const named = { organization: isolated(organization), role: html`<code>${invitation.role}</code>`, email: isolated(invitation.email) }
  return formPage(
    context,
    {
      title: fill(title, { organization }),
      heading: fillMarkup(title, named),
      intro: html`<p>${fillMarkup(intro, named)}</p>\n<p>${fillMarkup(hasAccount ? knownAccount : newAccount, named)}</p>`,
      form: { fields: fieldsOf(invited, context.locale, withCode), values: new Map([...sent].filter(([name]) => name !== CODE).concat([['account', invitation.email]])), submit },
      ...(hasAccount ? { after: html`<p><a href="../reset-password?lang=${context.locale}">${forgotten}</a></p>` } : {}),
    },
    fault,
  )
}

/** Returns the page for an invitation that cannot be accepted. Null: the refusal has another reason. */
function overPage({ locale }: PageContext, refusal: ApiError): Page | null {
  const { missingTitle, missing, usedTitle, used, expiredTitle, expired } = pageTexts(locale).invitation
  const over: Readonly<Record<string, readonly [title: string, text: string]>> = {
    resource_missing: [missingTitle, missing],
    invitation_used: [usedTitle, used],
    invitation_expired: [expiredTitle, expired],
  }
  if (!Object.hasOwn(over, refusal.reason)) return null
  const [title, text] = over[refusal.reason]
  return { title, body: html`<h1>${title}</h1><p>${text}</p>`, refusal }
}

function donePage({ locale }: PageContext, next: NextSteps, organization: string, email: string): Page {
  const { doneTitle, done } = pageTexts(locale).invitation
  const named = { organization: isolated(organization), email: isolated(email) }
  return { title: fill(doneTitle, { organization }), body: html`<h1>${fillMarkup(doneTitle, named)}</h1><p>${fillMarkup(done, named)}</p>${nextSteps(next, locale)}` }
}
