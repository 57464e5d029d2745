/** The HTML of pages with forms: a document with its own style and without scripts, and input fields with labels, hints and errors. */
import { createHash } from 'node:crypto'
import { LOCALES, type Locale } from '../../i18n/locale.js'
import { fill, pageTexts } from '../../i18n/translate.js'
import { html, Markup, verbatim } from '../text/html.js'

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2330; --paper: #fff; --quiet: #5b6472; --line: #767f8d; --bad: #a3231f; --accent: #1d5b94; --on-accent: #fff; --surface: #eef1f5; }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e9ee; --paper: #161a21; --quiet: #a5aebb; --line: #8690a0; --bad: #ff9c94; --accent: #8cc2f5; --on-accent: #10151c; --surface: #232a35; }
}
* { box-sizing: border-box; }
body { max-width: 34rem; margin: 0 auto; padding: 1rem; color: var(--ink); background: var(--paper); font: 1rem/1.5 system-ui, "Segoe UI", Roboto, sans-serif; overflow-wrap: anywhere; }
h1 { margin: 1rem 0; font-size: 1.6rem; line-height: 1.25; }
h2 { margin: 1.5rem 0 .5rem; font-size: 1.15rem; }
p, ul { margin: .5rem 0; }
ul { padding-left: 1.25rem; }
a { color: var(--accent); }
nav { text-align: right; }
nav a, nav span { margin-left: .75rem; }
label { display: block; margin-top: 1.25rem; font-weight: 600; }
input { display: block; width: 100%; margin-top: .25rem; padding: .6rem .7rem; color: inherit; background: var(--paper); border: 1px solid var(--line); border-radius: .25rem; font: inherit; }
input[readonly] { background: var(--surface); }
input[aria-invalid] { border: 2px solid var(--bad); }
button { margin: 1.5rem 0; padding: .7rem 1.2rem; color: var(--on-accent); background: var(--accent); border: 0; border-radius: .25rem; font: inherit; font-weight: 600; cursor: pointer; }
a:focus-visible, input:focus-visible, button:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px; }
code { padding: .1rem .3rem; background: var(--surface); border-radius: .25rem; font: .9em/1.5 ui-monospace, "Cascadia Mono", Menlo, monospace; }
li code { display: block; margin: .25rem 0 .75rem; padding: .3rem .5rem; }
pre { margin: .75rem 0; padding: .6rem .75rem; background: var(--surface); border-radius: .25rem; white-space: pre-wrap; }
pre code { padding: 0; background: none; }
.action { display: inline-block; margin: .75rem 0; padding: .7rem 1.2rem; color: var(--on-accent); background: var(--accent); border-radius: .25rem; font-weight: 600; text-decoration: none; }
.quiet { color: var(--quiet); }
.hint { margin: 0; color: var(--quiet); }
.error { margin: 0; color: var(--bad); font-weight: 600; }
.failure { padding: .25rem 1rem; border: 2px solid var(--bad); border-radius: .25rem; }
`

const STYLE_ELEMENT = new Markup(`<style>${STYLE}</style>`)

/** `Content-Security-Policy`: allows the page's own style, by its hash, and forms to this service. */
export const FORM_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "form-action 'self'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ')

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
${STYLE_ELEMENT}
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
