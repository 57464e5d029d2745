/** A report as an HTML page: readable, printable, in light and dark. It loads nothing and runs no script, also when it is opened from a disk. */
import type { Locale } from '../i18n/locale.js'
import { html, Markup } from '../http/text/html.js'
import { readStyle } from '../http/text/style.js'

const STYLE = readStyle(new URL('page.css', import.meta.url))
/** Only its own style, identified by its hash. */
const POLICY = ["default-src 'none'", `style-src ${STYLE.source}`, "base-uri 'none'", "form-action 'none'"]
/** Inside the page, which people also open from a disk. */
const OWN_POLICY = new Markup(`<meta http-equiv="Content-Security-Policy" content="${POLICY.join('; ')}">`)

/** Stripes of what failed, which differ from other fillings on grey paper too. */
const PATTERNS = html`<svg class="patterns" width="0" height="0" aria-hidden="true"><defs><pattern id="stripes" width="5" height="5" patternUnits="userSpaceOnUse" patternTransform="rotate(45)"><rect class="ground" width="5" height="5"/><rect class="stripe" width="2.5" height="5"/></pattern></defs></svg>`

/** `Content-Security-Policy` of an answer with such a page. */
export const REPORT_POLICY = [...POLICY, "frame-ancestors 'none'"].join('; ')

interface ReportPage {
  readonly locale: Locale
  /** Title of the document. */
  readonly title: string
  readonly heading: Markup | string
  /** Lines below the heading. */
  readonly lead: readonly Markup[]
  readonly sections: readonly Markup[]
}

/** Returns a complete document. */
export function reportPage({ locale, title, heading, lead, sections }: ReportPage): string {
  return html`<!doctype html>
<html lang="${locale}">
<head>
<meta charset="utf-8">
${OWN_POLICY}
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="robots" content="noindex">
<title>${title}</title>
${STYLE.element}
</head>
<body>
${PATTERNS}
<header>
<h1>${heading}</h1>
${lead.map((line) => html`${line}\n`)}</header>
<main>
${sections}
</main>
</body>
</html>
`.text
}

/** @param kind `whole`: short enough to be kept on one printed page */
export function section(heading: string, content: Markup, kind: 'whole' | 'long' = 'long'): Markup {
  return html`<section class="${kind}">\n<h2>${heading}</h2>\n${content}\n</section>\n`
}
