/** Style of the printable report, and its `Content-Security-Policy`: the page loads and runs nothing. */
import { createHash } from 'node:crypto'
import { Markup } from '../../core/http/text/html.js'

const STYLE = `
:root { color-scheme: light; --line: #c9ced6; --quiet: #5b6472; --good: #1b6e3c; --bad: #a3231f; }
* { box-sizing: border-box; }
body { max-width: 60rem; margin: 2rem auto; padding: 0 1.5rem; color: #1c2330; background: #fff; font: 15px/1.5 system-ui, "Segoe UI", Roboto, sans-serif; }
h1 { font-size: 1.7rem; margin: 0 0 .25rem; overflow-wrap: anywhere; }
h2 { font-size: 1.15rem; margin: 2rem 0 .5rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line); }
p { margin: .35rem 0; overflow-wrap: anywhere; }
.quiet { color: var(--quiet); }
.description { white-space: pre-line; unicode-bidi: plaintext; }
.good { color: var(--good); font-weight: 600; }
.bad { color: var(--bad); font-weight: 600; }
.score { font-size: 3rem; line-height: 1.1; font-weight: 700; }
.score small { font-size: 1.1rem; font-weight: 400; color: var(--quiet); }
table { width: 100%; margin: .5rem 0; border-collapse: collapse; font-size: .87rem; }
th, td { padding: .3rem .9rem .3rem 0; text-align: left; vertical-align: top; border-bottom: 1px solid var(--line); overflow-wrap: anywhere; }
th:last-child, td:last-child { padding-right: 0; }
th { font-weight: 600; white-space: nowrap; }
td { unicode-bidi: plaintext; }
td.number, th.number { text-align: right; white-space: nowrap; font-variant-numeric: tabular-nums; }
td.solid { white-space: nowrap; overflow-wrap: normal; }
.cases { table-layout: fixed; }
.cases th:nth-child(1) { width: 28%; }
.cases th:nth-child(2) { width: 18%; }
code { font: .85em/1.4 ui-monospace, "Cascadia Mono", Menlo, monospace; white-space: pre-wrap; }
@media screen and (max-width: 40rem) {
  th, th.number, td.number, td.solid { white-space: normal; }
}
@media print {
  @page { margin: 15mm; @bottom-right { content: counter(page) " / " counter(pages); font: 8pt system-ui, sans-serif; color: #5b6472; } }
  body { max-width: none; margin: 0; padding: 0; font-size: 10.5pt; }
  thead { display: table-header-group; }
  tr, h2, .score, .whole, .cases tbody { break-inside: avoid; }
  h2, h2 + p, p:has(+ table) { break-after: avoid; }
}
`

/** The `style` element. */
export const STYLE_ELEMENT = new Markup(`<style>${STYLE}</style>`)

/** `Content-Security-Policy` of the report: only its own style, identified by its hash. */
export const REPORT_POLICY = [
  "default-src 'none'",
  `style-src 'sha256-${createHash('sha256').update(STYLE).digest('base64')}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
