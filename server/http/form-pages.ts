/**
 * Pages with forms for people who have no other front end: outside of the interface, at the paths that mails link to, and made of the services that the
 * interface is made of. Invariants:
 *  1. a page loads nothing, runs nothing, is shown in no frame, and is never stored
 *  2. a form is taken only from a page of this service, and is short
 *  3. the log knows the path of a page without the token that is in it, and nothing of a form
 */
import type { TSchema } from 'typebox'
import type { Visit } from '../auth/visit.js'
import { ApiError, type ErrorReason, type FieldError } from '../errors.js'
import { localeOf } from '../i18n/locale.js'
import { errorTexts, pageTexts, fill } from '../i18n/translate.js'
import type { Limits } from '../limits/limits.js'
import type { Log } from '../observability/log.js'
import { refuseLonger } from './body-limit.js'
import { hold, holdBody, takeTurn } from './concurrency.js'
import { pageOfHere } from './csrf.js'
import { refusing } from './error-response.js'
import type { Context, Middleware } from './exchange.js'
import { type Field, FORM_POLICY, type FormContent, formMarkup, type PageContent, pageDocument, waitText } from './form-markup.js'
import type { TrustedProxies } from './forwarded.js'
import { html, type Markup } from './html.js'
import { requireMediaType } from './media-type.js'
import { type BodyLimits, readBody } from './read-body.js'
import { RouteTable } from './route-table.js'
import { send } from './send.js'
import { timeout } from './timeout.js'
import { type FieldIssue, issue } from './validation/issue.js'
import { invalidRequest } from './validation/refuse.js'
import { validatorFor } from './validation/validator.js'

const HTML_TYPE = 'text/html; charset=utf-8'
const FORM_MEDIA_TYPE = 'application/x-www-form-urlencoded'
/**
 * Of a form. The longest right one creates the first administrator: two passwords of 1,024 characters, two names of 120, and an address of 254, of which
 * each character may take four bytes of UTF-8, and each of those three in the form: 30,500 bytes.
 */
export const FORM_BYTES = 32 * 1024
/** Fields of a form; ours have seven. */
const FIELDS_LIMIT = 50
/** What a page takes of the service: as a route that reads and writes some documents. */
const LOAD = { load: 'documents' } as const

/** A request for a page, as far as the page needs to know it. The locale is that of the page. */
export interface PageVisit extends Visit {
  readonly params: Readonly<Record<string, string>>
  readonly query: URLSearchParams
}

/** What was sent, by the names of inputs; what was left empty is missing. */
export type Form = ReadonlyMap<string, string>

export interface FormPage {
  /** From the root of the service; parameters in braces. */
  readonly path: string
  show(visit: PageVisit): Promise<Page>
  submit(visit: PageVisit, form: Form): Promise<Page>
}

/** A page as it is answered. */
export interface Page extends PageContent {
  /** Which the page tells of; its status and headers are the answer's. */
  readonly refusal?: ApiError | undefined
  /** Query of the address at which a page that answers a form is shown; default: that of the request. */
  readonly query?: Readonly<Record<string, string>> | undefined
}

export interface FormPagesOptions {
  readonly pages: readonly FormPage[]
  /** Where pages of this service are, beside the host of a request. */
  readonly addresses: readonly (string | null)[]
  readonly trustedProxies: TrustedProxies
  readonly bodyLimits: Pick<BodyLimits, 'idleMs' | 'totalMs'>
  readonly timeoutMs: number
  readonly limits: Limits
  readonly log: Log
}

export function formPages({ pages, addresses, trustedProxies, bodyLimits, timeoutMs, limits, log }: FormPagesOptions): Middleware {
  const table = new RouteTable<FormPage>()
  for (const page of pages) for (const method of ['GET', 'POST'] as const) table.add(method, page.path, page)
  const isFromHere = pageOfHere(addresses, trustedProxies)
  const formLimits: BodyLimits = { ...bodyLimits, maxBytes: FORM_BYTES }
  const inTime = timeout(timeoutMs)
  const holding = hold(LOAD, limits)
  const inTurn = takeTurn(LOAD, limits) as Middleware
  const folders = new Set(pages.map(({ path }) => folderOf(path)))

  return async (ctx, next) => {
    // Nearly all requests are for the interface, and pay for one look.
    const found = folders.has(folderOf(ctx.path)) ? find(table, ctx) : null
    if (found === null) return next()
    if (!('value' in found)) return refuseMethod(ctx, found.allow)
    const { value: page, params } = found
    const { state } = ctx
    state.routePath = page.path
    const query = new URLSearchParams(ctx.querystring)
    const locale = localeOf(query.get('lang') ?? undefined) ?? state.locale
    const visit: PageVisit = { requestId: state.requestId, address: state.address, locale, params, query }
    const answer = (made: Page): void => {
      const { headers } = state
      headers['Content-Security-Policy'] = FORM_POLICY
      headers['Content-Language'] = locale
      send(ctx, made.refusal?.status ?? 200, HTML_TYPE, pageDocument(made, locale, made.query === undefined ? query : new URLSearchParams(made.query)))
    }
    try {
      const work = async (form: Form | null): Promise<void> => {
        const made = form === null ? await page.show(visit) : await page.submit(visit, form)
        state.endTurn?.()
        if (made.refusal !== undefined) refusing(ctx, made.refusal, log)
        answer(made)
      }
      await inTime(ctx, () =>
        holding(ctx, async () => {
          const form = ctx.method === 'POST' ? await readForm(ctx, formLimits, limits, isFromHere) : null
          return inTurn(ctx, () => work(form))
        }),
      )
    } catch (error) {
      const refusal = refusing(ctx, error, log)
      const failed = failureOf(refusal, visit)
      const texts = pageTexts(locale).common
      const body = html`<h1>${texts.problem}</h1>${failed}<p class="quiet">${fill(texts.request, { id: state.requestId })}</p>`
      answer({ title: texts.problem, body, refusal })
    }
  }
}

/** The first part of a path. */
function folderOf(path: string): string {
  const end = path.indexOf('/', 1)
  return end === -1 ? path : path.slice(0, end)
}

/** Null: it is no page. */
function find(table: RouteTable<FormPage>, { method, path }: Context): ReturnType<RouteTable<FormPage>['find']> {
  try {
    return table.find(method, path)
  } catch (error) {
    // A percent sign that encodes nothing is refused by whoever comes next.
    if (error instanceof URIError) return null
    throw error
  }
}

function refuseMethod(ctx: Context, allow: readonly string[]): void {
  const { method, state } = ctx
  if (method !== 'OPTIONS') throw new ApiError('method_not_allowed', { params: { method }, headers: { Allow: allow.join(', ') } })
  state.headers.Allow = allow.join(', ')
  send(ctx, 204, null, null)
}

/** @throws ApiError origin_refused, payload_too_large, media_type_unsupported, and what reading throws */
async function readForm(ctx: Context, formLimits: BodyLimits, limits: Limits, isFromHere: (ctx: Context) => boolean): Promise<Form> {
  const { req, res, state } = ctx
  if (!isFromHere(ctx)) throw new ApiError('origin_refused')
  refuseLonger(req, formLimits.maxBytes)
  requireMediaType(req, FORM_MEDIA_TYPE)
  const permit = holdBody(state, req, limits)
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

/** A refusal in words, with how long to wait. */
export function failureOf(refusal: ApiError, { locale }: Pick<Visit, 'locale'>): Markup {
  const { foreign } = pageTexts(locale).common
  const message = refusal.reason === 'origin_refused' ? foreign : errorTexts(refusal.reason, locale, refusal.params).message
  const seconds = Number(refusal.headers['Retry-After'] ?? Number.NaN)
  return html`<p>${message}${Number.isNaN(seconds) ? '' : ` ${waitText(seconds, locale)}`}</p>`
}

/** What is wrong with a form that was sent. */
export interface FormFault {
  /** Undefined: nothing was sent yet. */
  readonly refusal: ApiError | undefined
  /** By the names of inputs. */
  readonly errors: ReadonlyMap<string, string>
  /** What is about no input; null: nothing. */
  readonly failure: Markup | null
}

export const NO_FAULT: FormFault = { refusal: undefined, errors: new Map(), failure: null }

export interface FormChecks {
  readonly fields: readonly Field[]
  /** Refusals that are about an input, with what is said of it. */
  readonly placed?: Partial<Record<ErrorReason, readonly [input: string, text: string]>>
}

/** Takes a form: what it does, and the page that says so, or the page that says why not. */
export async function takeForm(
  visit: PageVisit,
  { fields, placed = {} }: FormChecks,
  deed: () => Promise<Page>,
  refused: (fault: FormFault & { refusal: ApiError }) => Page,
): Promise<Page> {
  try {
    return await deed()
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    const own = placed[error.reason]
    const told = (error.details.errors ?? []) as readonly FieldError[]
    const errors = own === undefined ? told.map(({ path, message }) => [path.slice(1), message] as const) : [own]
    const named = errors.map(([name, text]) => [name, own === undefined ? `${labelOf(fields, name)}: ${text}.` : text] as const)
    return refused({ refusal: error, errors: new Map(named), failure: named.length > 0 ? null : failureOf(error, visit) })
  }
}

/** A page with one form. */
export interface FormPageContent {
  readonly title: string
  /** Default: the title. */
  readonly heading?: Markup
  readonly intro: Markup
  readonly form: Pick<FormContent, 'fields' | 'values' | 'hidden' | 'submit'>
  readonly after?: Markup
  readonly query?: Page['query']
}

/** The page as it is shown first, or again with what is wrong. */
export function formPage({ locale }: PageVisit, { title, heading, intro, form, after, query }: FormPageContent, { refusal, errors, failure }: FormFault): Page {
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

/** Checks a form as the interface checks a body. @param more what the interface doesn't ask for @throws ApiError request_validation_failed */
export function requireForm(schema: TSchema, values: Readonly<Record<string, string | undefined>>, { locale }: Pick<Visit, 'locale'>, more: readonly FieldIssue[] = []): void {
  const sent = Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined))
  const issues = [...validatorFor(schema).check(sent), ...more]
  if (issues.length > 0) throw invalidRequest(issues, locale)
}

/** A password that is set is typed twice: nobody sees what they type, and the page has no script that could show it. */
export const REPETITION = 'password_repeat'

export function repetitionIssues(form: Form, name: string): FieldIssue[] {
  return form.get(name) === form.get(REPETITION) ? [] : [issue(`/${REPETITION}`, form.has(REPETITION) ? 'differs' : 'required', null)]
}
