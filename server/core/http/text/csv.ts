/** Tables as CSV (RFC 4180): a header, lines that end in CR LF, and cells that a spreadsheet does not run as formulas. */

/** A cell that begins so is a formula for spreadsheets, also after white space, which they skip, and in the full width of East Asian locales. */
const FORMULA = /^\s*[=+\-@＝＋－＠]|^[\t\r\n]/
const QUOTED = /[",\r\n]/

/** @param columns names of the cells, which are the header */
export function csvTable<C extends string>(columns: readonly C[], rows: readonly Readonly<Record<C, unknown>>[]): string {
  const lines = [columns.join(','), ...rows.map((row) => columns.map((column) => csvCell(row[column])).join(','))]
  return lines.map((line) => `${line}\r\n`).join('')
}

/** Null is empty, an object is JSON. A text that a spreadsheet would take for a formula gets an apostrophe, which spreadsheets do not show. */
function csvCell(value: unknown): string {
  const text = value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : String(value)
  if (FORMULA.test(text)) return quoted(`'${text}`)
  return QUOTED.test(text) ? quoted(text) : text
}

function quoted(text: string): string {
  return `"${text.replaceAll('"', '""')}"`
}
