/** The HTML of pages with forms: a document with its own style and without scripts, and input fields with labels, hints and errors. */
import { LOCALES, type Locale } from '../../i18n/locale.js'
import { fill, pageTexts } from '../../i18n/translate.js'
import { html, type Markup, verbatim } from '../text/html.js'
import { readStyle } from '../text/style.js'

const STYLE = readStyle(new URL('form.css', import.meta.url))

/** `Content-Security-Policy`: allows the page's own style, by its hash, and forms to this service. */
export const FORM_POLICY = ["default-src 'none'", `style-src ${STYLE.source}`, "form-action 'self'", "base-uri 'none'", "frame-ancestors 'none'"].join('; ')

/** Names of the languages, each in its own language. */
const LANGUAGES: Readonly<Record<Locale, string>> = { 'pt-BR': 'Português', 'en-US': 'English' }

export interface PageContent {
  readonly title: string
  readonly body: Markup
}

/**
 * A whole HTML document.
 * @param query query string at which a GET shows this page, for the links to the other language; null: no GET shows it again, and the page has no links
 */
export function pageDocument({ title, body }: PageContent, locale: Locale, query: URLSearchParams | null): string {
  const texts = pageTexts(locale).common
  const link = (shown: URLSearchParams, language: Locale): Markup =>
    language === locale
      ? html`<span aria-current="true">${LANGUAGES[language]}</span>`
      : html`<a href="${verbatim(`?${new URLSearchParams([...shown].filter(([name]) => name !== 'lang').concat([['lang', language]]))}`)}" lang="${language}" hreflang="${language}">${LANGUAGES[language]}</a>`
  // The policy `no-referrer` of the header makes browsers send forms with `Origin: null`. The page's own policy overrides it: only the origin is sent, never the path.
  return html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="strict-origin">
<meta name="robots" content="noindex">
<title>${title}</title>
${STYLE.element}
</head>
<body>
${query === null ? '' : html`<nav aria-label="${texts.languages}">${LOCALES.map((language) => link(query, language))}</nav>`}
<main>
${body}
</main>
</body>
</html>
`.text
}

/** An input element with its label. */
export interface Field {
  /** Name and id of the input. */
  readonly name: string
  readonly label: string
  readonly type: 'text' | 'email' | 'password'
  /** The HTML attribute. */
  readonly autocomplete: string
  readonly hint?: string
  /** Read-only and not sent: a password manager reads the account from it. */
  readonly isFixed?: true
}

export interface FormContent {
  readonly fields: readonly Field[]
  /** Values of inputs, by name. Passwords are never filled in. */
  readonly values: ReadonlyMap<string, string>
  /** Error messages of inputs, by name, in the reader's language. */
  readonly errors: ReadonlyMap<string, string>
  /** An error that concerns no input; null: none. */
  readonly failure: Markup | null
  /** Hidden inputs. */
  readonly hidden?: Readonly<Record<string, string>>
  readonly submit: string
}

/** A form that posts to the path of its page. */
export function formMarkup({ fields, values, errors, failure, hidden = {}, submit }: FormContent, locale: Locale): Markup {
  const wrong = fields.filter(({ name }) => errors.has(name))
  return html`${failure === null && wrong.length === 0 ? '' : failureMarkup(failure, wrong, errors, locale)}
<form method="post" action="?lang=${locale}" novalidate>
${Object.entries(hidden).map(([name, value]) => html`<input type="hidden" name="${name}" value="${verbatim(value)}">\n`)}${fields.map((field) =>
  fieldMarkup(field, values.get(field.name) ?? '', errors.get(field.name) ?? null, field === wrong[0]),
)}<button type="submit">${submit}</button>
</form>`
}

/** The summary of all errors, with links to the inputs. */
function failureMarkup(failure: Markup | null, wrong: readonly Field[], errors: ReadonlyMap<string, string>, locale: Locale): Markup {
  const list = wrong.map(({ name }) => html`<li><a href="#${name}">${errors.get(name) ?? ''}</a></li>`)
  return html`<div class="failure" role="alert">${failure ?? ''}${list.length === 0 ? '' : html`<p>${pageTexts(locale).common.correct}</p><ul>${list}</ul>`}</div>`
}

function fieldMarkup({ name, label, type, autocomplete, hint, isFixed }: Field, value: string, error: string | null, isFirstWrong: boolean): Markup {
  const described = [...(hint === undefined ? [] : [`${name}-hint`]), ...(error === null ? [] : [`${name}-error`])]
  const attributes = [
    // Not `type="email"`: browsers convert domains of other scripts to Punycode.
    html` type="${type === 'password' ? 'password' : 'text'}" autocomplete="${autocomplete}"`,
    type === 'email' ? html` inputmode="email" autocapitalize="none" spellcheck="false"` : html``,
    type === 'password' ? html`` : html` value="${verbatim(value)}"`,
    isFixed === true ? html` readonly` : html` name="${name}" required`,
    described.length === 0 ? html`` : html` aria-describedby="${described.join(' ')}"`,
    error === null ? html`` : html` aria-invalid="true"`,
    isFirstWrong ? html` autofocus` : html``,
  ]
  const lines = [
    html`<label for="${name}">${label}</label>\n`,
    ...(hint === undefined ? [] : [html`<p class="hint" id="${name}-hint">${hint}</p>\n`]),
    ...(error === null ? [] : [html`<p class="error" id="${name}-error">${error}</p>\n`]),
    html`<input id="${name}"${attributes}>\n`,
  ]
  return html`${lines}`
}

/** The sentence with the time to wait before the next attempt. */
export function waitText(seconds: number, locale: Locale): string {
  const { waitSeconds, waitMinutes } = pageTexts(locale).common
  return seconds < 120 ? fill(waitSeconds, { seconds }) : fill(waitMinutes, { minutes: Math.ceil(seconds / 60) })
}
