/** Tables of report pages. */
import { html, Markup } from '../http/text/html.js'

/** Maximum entries of a list on the page. The JSON report has more. */
export const PRINTED = 100

/** A cell or column heading. Numbers are aligned right; solid cells do not wrap; drawn ones have a bar. */
export type Cell = string | Markup | { readonly number: string | Markup } | { readonly solid: string | Markup } | { readonly drawn: Markup }

export type Row = readonly Cell[]

/** @param rows rows, or groups of rows that printing keeps on one page if possible @param kind `stacked`: on a phone the cells of a row stand below each other */
export function table(columns: Row, rows: readonly Row[] | readonly (readonly Row[])[], kind: 'cases' | 'plain' | 'stacked' = 'plain'): Markup {
  const groups = isGrouped(rows) ? rows : [rows]
  return html`<table class="${kind}">
<thead><tr>${columns.map((column) => cell(column, html`th scope="col"`, html`th`))}</tr></thead>
${groups.map((group) => html`<tbody>\n${group.map((row) => html`<tr>${row.map((one) => cell(one, html`td`, html`td`))}</tr>\n`)}</tbody>\n`)}</table>`
}

/**
 * Returns a table of the first entries, with the total if there are more; nothing if there are none.
 * @param entries rows, or groups of rows
 * @param total number of entries, including those that are omitted
 */
export function list(
  columns: Row,
  entries: readonly Row[] | readonly (readonly Row[])[],
  total: number,
  sayShown: (counts: { readonly shown: number; readonly total: number }) => string,
  kind: 'cases' | 'plain' = 'plain',
): Markup {
  if (entries.length === 0) return html``
  const shown = Math.min(entries.length, PRINTED)
  const first = entries.slice(0, shown) as typeof entries
  return html`${table(columns, first, kind)}${shown < total ? html`\n<p class="quiet">${sayShown({ shown, total })}</p>` : ''}`
}

function cell(content: Cell, opening: Markup, name: Markup): Markup {
  if (typeof content === 'string' || content instanceof Markup) return html`<${opening}>${content}</${name}>`
  if ('drawn' in content) return html`<${opening} class="drawn">${content.drawn}</${name}>`
  if ('number' in content) return html`<${opening} class="number">${content.number}</${name}>`
  return html`<${opening} class="solid">${content.solid}</${name}>`
}

function isGrouped(rows: readonly Row[] | readonly (readonly Row[])[]): rows is readonly (readonly Row[])[] {
  return Array.isArray(rows[0]?.[0])
}
