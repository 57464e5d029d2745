/**
 * HTML pages, most with a form, outside of the interface: for the links in mails, for the first administrator, and for `/`. They call the same services as the
 * routes. Invariants:
 *  1. a page loads no resource, runs no script, cannot be framed, and is not cached
 *  2. a form is accepted only from a page of this service, and up to `FORM_BYTES`
 *  3. logged paths contain no tokens, and form values are never logged
 */
import type { TSchema } from 'typebox'
import type { RequestContext } from '../../auth/request-context.js'
import type { FieldError } from '#requests'
import { PASSWORD_MIN_CHARACTERS } from '../../auth/password.js'
import { ApiError, type ErrorReason } from '../../errors.js'
import { type Locale, localeOf } from '../../i18n/locale.js'
import { errorTexts, pageTexts, fill } from '../../i18n/translate.js'
import type { Limits } from '../../limits/limits.js'
import type { Log } from '../../observability/log.js'
import { refuseLonger } from '../request/body-limit.js'
import { acquireRequest, acquireBodyBytes, acquireSlot } from '../limits/concurrency.js'
import { pageOfHere } from '../identity/csrf.js'
import { refusing } from '../response/error-response.js'
import type { Context, Middleware } from '../request-state.js'
import { type Field, FORM_POLICY, type FormContent, formMarkup, type PageContent, pageDocument, waitText } from './form-markup.js'
import type { TrustedProxies } from '../connection/forwarded.js'
import { html, type Markup } from '../text/html.js'
import { prefersPage, requireMediaType } from '../request/media-type.js'
import { type BodyLimits, readBody } from '../request/read-body.js'
import { byMethod, routed } from '../router.js'
import { HTML_TYPE, send } from '../response/send.js'
import { timeout } from '../limits/timeout.js'
import { type FieldIssue, issue } from '../validation/issue.js'
import { invalidRequest } from '../validation/refuse.js'
import { validatorFor } from '#requests'

const FORM_MEDIA_TYPE = 'application/x-www-form-urlencoded'
/**
 * Largest form. The longest valid one creates the first administrator: two passwords of 1,024 characters, two names of 120 and an address of 254, at up to
 * four bytes of UTF-8 a character and three characters (`%F0`) a byte, are 30,600 bytes.
 */
export const FORM_BYTES = 32 * 1024
/** Maximum number of fields that are read of a form; the largest form has six. */
const FIELDS_LIMIT = 50
/** The load of a page: that of a route that reads and writes some documents. */
const LOAD = { load: 'documents' } as const

/** The context of a page's request. */
export interface PageContext extends RequestContext {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}

/** Values by the names of inputs; empty ones are left out. */
export type Form = ReadonlyMap<string, string>

export interface FormPage {
  /** Path from the root of the service, with parameters in braces. */
  readonly path: string
  show(context: PageContext): Promise<Page>
  /** Absent: the page has no form, and is for browsers only. Programs, which do not prefer HTML to JSON, and other methods get what an unknown path answers. */
  submit?(context: PageContext, form: Form): Promise<Page>
}

export interface Page extends PageContent {
  /** The refusal that the page shows; the answer has its status and headers. */
  readonly refusal?: ApiError | undefined
  /** Query string at which a GET shows this page. Default: that of the request. Null: no GET shows it again, so it has no links to the other language. */
  readonly query?: Readonly<Record<string, string>> | null | undefined
}

export interface FormPagesOptions {
  readonly pages: readonly FormPage[]
  /** Addresses whose pages may send forms, beside the host of the request. */
  readonly addresses: readonly (string | null)[]
  readonly trustedProxies: TrustedProxies
  readonly bodyLimits: Pick<BodyLimits, 'idleMs' | 'totalMs'>
  readonly timeoutMs: number
  readonly limits: Limits
  readonly log: Log
}

export function formPages({ pages, addresses, trustedProxies, bodyLimits, timeoutMs, limits, log }: FormPagesOptions): Middleware {
  const isFromHere = pageOfHere(addresses, trustedProxies)
  const formLimits: BodyLimits = { ...bodyLimits, maxBytes: FORM_BYTES }
  const inTime = timeout(timeoutMs)
  const acquiring = acquireRequest(LOAD, limits)
  const inTurn = acquireSlot(LOAD, limits) as Middleware

  const answerWith = async (page: FormPage, ctx: Context): Promise<void> => {
    const { state } = ctx
    const params = ctx.params as PageContext['params']
    state.routePath = page.path
    const query = new URLSearchParams(ctx.querystring)
    const locale = localeOf(query.get('lang') ?? undefined) ?? state.locale
    const context: PageContext = { requestId: state.requestId, address: state.address, client: state.client, locale, params, query }
    const answer = (result: Page): void => {
      const { headers } = state
      headers['Content-Security-Policy'] = FORM_POLICY
      headers['Content-Language'] = locale
      send(ctx, result.refusal?.status ?? 200, HTML_TYPE, pageDocument(result, locale, shownAt(result, query)))
    }
    try {
      const work = async (form: Form | null): Promise<void> => {
        const result = form === null || page.submit === undefined ? await page.show(context) : await page.submit(context, form)
        state.releaseSlot?.()
        if (result.refusal !== undefined) refusing(ctx, result.refusal, log)
        answer(result)
      }
      await inTime(ctx, () =>
        acquiring(ctx, async () => {
          const form = ctx.method === 'POST' ? await readForm(ctx, formLimits, limits, isFromHere) : null
          return inTurn(ctx, () => work(form))
        }),
      )
    } catch (error) {
      const refusal = refusing(ctx, error, log)
      const failed = failureOf(refusal, context)
      const texts = pageTexts(locale).common
      const body = html`<h1>${texts.problem}</h1>${failed}<p class="quiet">${fill(texts.request, { id: state.requestId })}</p>`
      answer({ title: texts.problem, body, refusal })
    }
  }

  return routed(
    new Map(
      pages.map((page) => {
        const run: Middleware = (ctx) => answerWith(page, ctx)
        if (page.submit !== undefined) return [page.path, byMethod(new Map(['GET', 'POST'].map((method) => [method, run])))]
        const forBrowsers: Middleware = (ctx, next) => {
          if ((ctx.method !== 'GET' && ctx.method !== 'HEAD') || !prefersPage(ctx)) return next()
          ctx.state.headers.Vary = 'Accept'
          return run(ctx, next)
        }
        return [page.path, forBrowsers]
      }),
    ),
  )
}

/** Query string at which a GET shows a page; null: none does. */
function shownAt({ query }: Page, requested: URLSearchParams): URLSearchParams | null {
  return query === undefined ? requested : query && new URLSearchParams(query)
}

/** @throws ApiError origin_refused, payload_too_large, the errors of `requireMediaType`, and the errors of `readBody` */
async function readForm(ctx: Context, formLimits: BodyLimits, limits: Limits, isFromHere: (ctx: Context) => boolean): Promise<Form> {
  const { req, res, state } = ctx
  if (!isFromHere(ctx)) throw new ApiError('origin_refused')
  refuseLonger(req, formLimits.maxBytes)
  requireMediaType(req, [FORM_MEDIA_TYPE])
  const permit = acquireBodyBytes(state, req, limits)
  let bytes: Buffer
  state.isReading = true
  try {
    bytes = await readBody(req, res, formLimits, permit)
  } finally {
    state.isReading = false
    state.restartDeadline?.()
  }
  const form = new Map<string, string>()
  for (const [name, value] of new URLSearchParams(bytes.toString())) {
    if (form.size >= FIELDS_LIMIT) break
    if (value !== '' && !form.has(name)) form.set(name, value)
  }
  return form
}

/** The message of a refusal, with the time to wait. */
export function failureOf(refusal: ApiError, { locale }: Pick<RequestContext, 'locale'>): Markup {
  const { foreign } = pageTexts(locale).common
  const message = refusal.reason === 'origin_refused' ? foreign : errorTexts(refusal.reason, locale, refusal.params).message
  const seconds = Number(refusal.headers['Retry-After'] ?? Number.NaN)
  return html`<p>${message}${Number.isNaN(seconds) ? '' : ` ${waitText(seconds, locale)}`}</p>`
}

/** Errors of a submitted form. */
export interface FormFault {
  /** Undefined: the form was not submitted yet. */
  readonly refusal: ApiError | undefined
  /** Messages by the names of inputs. */
  readonly errors: ReadonlyMap<string, string>
  /** An error that concerns no input; null: none. */
  readonly failure: Markup | null
}

export const NO_FAULT: FormFault = { refusal: undefined, errors: new Map(), failure: null }

export interface FormChecks {
  readonly fields: readonly Field[]
  /** Refusals that concern one input, with the message for it. */
  readonly placed?: Partial<Record<ErrorReason, readonly [input: string, text: string]>>
}

/** Runs the action of a form and returns the page that follows. After a refusal it returns the page of `refused`. */
export async function takeForm(
  context: PageContext,
  { fields, placed = {} }: FormChecks,
  action: () => Promise<Page>,
  refused: (fault: FormFault & { refusal: ApiError }) => Page,
): Promise<Page> {
  try {
    return await action()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const own = placed[error.reason]
    const issues = (error.details.errors ?? []) as readonly FieldError[]
    const errors = own === undefined ? issues.map(({ path, message }) => [path.slice(1), message] as const) : [own]
    const named = errors.map(([name, text]) => [name, own === undefined ? `${labelOf(fields, name)}: ${text}.` : text] as const)
    return refused({ refusal: error, errors: new Map(named), failure: named.length > 0 ? null : failureOf(error, context) })
  }
}

export interface FormPageContent {
  readonly title: string
  /** Default: the title. */
  readonly heading?: Markup
  readonly intro: Markup
  readonly form: Pick<FormContent, 'fields' | 'values' | 'hidden' | 'submit'>
  readonly after?: Markup
  readonly query?: Page['query']
}

/** A page with one form: empty, or again with errors. */
export function formPage({ locale }: PageContext, { title, heading, intro, form, after, query }: FormPageContent, { refusal, errors, failure }: FormFault): Page {
  return {
    title: refusal === undefined ? title : fill(pageTexts(locale).common.errorTitle, { title }),
    body: html`<h1>${heading ?? title}</h1>\n${intro}\n${formMarkup({ ...form, errors, failure }, locale)}\n${after ?? ''}`,
    refusal,
    query,
  }
}

function labelOf(fields: readonly Field[], input: string): string {
  return fields.find(({ name }) => name === input)?.label ?? input
}

/** Validates a form against a schema of the interface. @param more issues of fields that exist only in the form @throws ApiError request_validation_failed */
export function requireForm(
  schema: TSchema,
  values: Readonly<Record<string, string | undefined>>,
  { locale }: Pick<RequestContext, 'locale'>,
  more: readonly FieldIssue[] = [],
): void {
  const sent = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
  const issues = [...validatorFor(schema).check(sent), ...more]
  if (issues.length > 0) throw invalidRequest(issues, locale)
}

/** Input that repeats a new password: without scripts the page cannot show the password. */
const REPETITION = 'password_repeat'

/** The inputs of a new password. */
export function newPasswordFields(name: string, label: string, locale: Locale): readonly Field[] {
  const { passwordHint, repeat } = pageTexts(locale).common
  return [
    { name, label, type: 'password', autocomplete: 'new-password', hint: fill(passwordHint, { limit: PASSWORD_MIN_CHARACTERS }) },
    { name: REPETITION, label: repeat, type: 'password', autocomplete: 'new-password' },
  ]
}

export function repetitionIssues(form: Form, name: string): FieldIssue[] {
  return form.get(name) === form.get(REPETITION) ? [] : [issue(`/${REPETITION}`, form.has(REPETITION) ? 'differs' : 'required', null)]
}
