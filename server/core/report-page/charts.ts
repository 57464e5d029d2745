/**
 * Charts of report pages: SVG without a script. Positions across are percentages, so that a chart is as wide as its page while its texts keep their size. Invariants:
 *  1. every text is escaped, because all of it is inserted through `html`
 *  2. what a chart shows is also in a table beside it; the chart itself is one image for screen readers
 *  3. no meaning is only in a colour: tones differ in lightness, and numbers stand beside them
 */
import { html, type Markup } from '../http/text/html.js'

/** The filling of a part, from the darkest to an outline. `bad`: a failure. */
export type Tone = 'full' | 'part' | 'none' | 'bad'

/** A piece of a bar or column. */
export interface Part {
  readonly value: number
  readonly tone: Tone
}

export interface Column {
  readonly label: string
  /** The number above the column. */
  readonly shown: string
  /** From the bottom up. */
  readonly parts: readonly Part[]
  /** The text that a pointer on it shows. */
  readonly title: string
}

export interface Point {
  readonly label: string
  readonly shown: string
  readonly value: number
  readonly title: string
}

export interface CellRow {
  readonly label: string
  /** The number at the end of the bar. */
  readonly shown: string
  readonly cells: readonly { readonly tone: Tone; readonly title: string }[]
}

interface Figure {
  readonly title: string
  /** The meaning of the tones; empty: no explanation is needed. */
  readonly legend: readonly { readonly tone: Tone; readonly text: string }[]
  readonly chart: Markup
  /** Its numbers. Null: the table follows in the text. */
  readonly table: { readonly summary: string; readonly content: Markup } | null
}

/** Widest bar, of a whole that it fills. */
const ALL = 100
const BAR_HEIGHT = 10
/** Heights in a chart of columns or points: the numbers above, the drawing, the labels below. */
const ABOVE = 16
const DRAWING = 120
const BELOW = 20
/** Characters of a label that is shown whole, and of one that fits below its point on a phone. */
const LABEL_SHOWN = 12
const LABEL_CENTRED = 5
/** Share of its place that a column fills. */
const COLUMN_SHARE = 0.78
/** The lowest that a bar or column with a value is drawn. */
const LEAST = 1
/** Heights in a chart of cells: a row is a line of text, the cells, and a gap. */
const CELL_LINE = 15
const CELL = 12
const CELL_ROW = CELL_LINE + CELL + 9
/** Maximum columns of cells; narrower ones could not be distinguished on a phone. */
const CELLS_LIMIT = 60

/** A chart with its title, its legend, and its numbers. */
export function figure({ title, legend, chart, table }: Figure): Markup {
  return html`<figure>
<figcaption>${title}</figcaption>
${legend.length === 0 ? '' : html`<ul class="legend">${legend.map(({ tone, text }) => html`<li><svg width="11" height="11" aria-hidden="true"><rect class="${tone}" x="0.5" y="0.5" width="10" height="10"/></svg> ${text}</li>`)}</ul>\n`}${chart}
${table === null ? '' : html`<details><summary>${table.summary}</summary>\n${table.content}\n</details>\n`}</figure>\n`
}

/** A bar in a cell of a table, which has the number in another cell. @param whole what fills the cell */
export function bar(parts: readonly Part[], whole: number): Markup {
  let from = 0
  const drawn = parts.flatMap(({ value, tone }) => {
    if (value <= 0 || whole <= 0) return []
    const width = Math.min(ALL - from, Math.max((value / whole) * ALL, LEAST))
    const piece = html`<rect class="${tone}" x="${percent(from)}" y="0.5" width="${percent(width)}" height="${BAR_HEIGHT - 1}"/>`
    from += width
    return [piece]
  })
  return html`<svg class="bar" width="100%" height="${BAR_HEIGHT}" aria-hidden="true"><rect class="track" x="0" y="0.5" width="100%" height="${BAR_HEIGHT - 1}"/>${drawn}</svg>`
}

/** Columns from zero. @param title says what it shows */
export function columnChart(title: string, columns: readonly Column[]): Markup {
  const highest = Math.max(1, ...columns.map(({ parts }) => sum(parts)))
  const pitch = ALL / Math.max(1, columns.length)
  const drawn = columns.map(({ label, shown, parts, title: told }, index) => {
    const middle = percent((index + 0.5) * pitch)
    let y = ABOVE + DRAWING
    const pieces = parts.flatMap(({ value, tone }) => {
      if (value <= 0) return []
      const height = Math.max((value / highest) * DRAWING, LEAST)
      y -= height
      return [
        html`<rect class="${tone}" x="${percent((index + (1 - COLUMN_SHARE) / 2) * pitch)}" y="${round(y)}" width="${percent(pitch * COLUMN_SHARE)}" height="${round(height)}"/>`,
      ]
    })
    const number = sum(parts) === 0 ? '' : html`<text class="small" x="${middle}" y="${round(y - 4)}" text-anchor="middle">${shown}</text>`
    return html`<g><title>${told}</title>${pieces}${number}<text class="quiet small" x="${middle}" y="${ABOVE + DRAWING + 14}" text-anchor="middle">${label}</text></g>\n`
  })
  return image(title, ABOVE + DRAWING + BELOW, [html`<line class="axis" x1="0" x2="100%" y1="${ABOVE + DRAWING + 0.5}" y2="${ABOVE + DRAWING + 0.5}"/>`, ...drawn])
}

/** Values over time on a scale from zero. @param highest end of the scale */
export function lineChart(title: string, points: readonly Point[], highest: number): Markup {
  const pitch = ALL / Math.max(1, points.length)
  const x = (index: number): string => percent((index + 0.5) * pitch)
  const y = (value: number): number => round(ABOVE + DRAWING * (1 - Math.min(value, highest) / highest))
  const grid = [0, highest / 2, highest].map((value) => html`<line class="axis" x1="0" x2="100%" y1="${y(value) + 0.5}" y2="${y(value) + 0.5}"/>`)
  const lines = points.slice(1).map(({ value }, index) => html`<line class="curve" x1="${x(index)}" y1="${y(points[index].value)}" x2="${x(index + 1)}" y2="${y(value)}"/>`)
  const dots = points.map(
    ({ label, shown, value, title: told }, index) =>
      html`<g><title>${told}</title><circle class="full" cx="${x(index)}" cy="${y(value)}" r="3.5"/><text class="small" x="${x(index)}" y="${y(value) - 8}" text-anchor="middle">${shown}</text>${clipped(label, index * pitch, pitch)}</g>\n`,
  )
  return image(title, ABOVE + DRAWING + BELOW, [...grid, ...lines, ...dots])
}

/** Rows of cells, one for each thing that there is, filled by what is known of it. */
export function cellChart(title: string, rows: readonly CellRow[]): Markup {
  const places = Math.min(CELLS_LIMIT, Math.max(1, ...rows.map(({ cells }) => cells.length)))
  const pitch = ALL / places
  const drawn = rows.map(({ label, shown, cells }, index) => {
    const top = index * CELL_ROW
    const squares = cells
      .slice(0, places)
      .map(
        ({ tone, title: told }, at) =>
          html`<rect class="${tone}" x="${percent((at + 0.06) * pitch)}" y="${top + CELL_LINE + 0.5}" width="${percent(pitch * 0.88)}" height="${CELL - 1}"><title>${told}</title></rect>`,
      )
    return html`<text x="0" y="${top + 11}">${label}</text><text class="quiet" x="100%" y="${top + 11}" text-anchor="end">${shown}</text>${squares}\n`
  })
  return image(title, rows.length * CELL_ROW, drawn)
}

/** A label in its place below the axis; a label that does not fit is cut. */
function clipped(label: string, from: number, width: number): Markup {
  const characters = Array.from(label)
  const shown = characters.length <= LABEL_SHOWN ? label : `${characters.slice(0, LABEL_SHOWN - 1).join('')}…`
  const [x, anchor] = characters.length <= LABEL_CENTRED ? ['50%', 'middle'] : ['0', 'start']
  return html`<svg x="${percent(from)}" y="${ABOVE + DRAWING + 2}" width="${percent(width)}" height="${BELOW - 2}"><text class="quiet small" x="${x}" y="13" text-anchor="${anchor}">${shown}</text></svg>`
}

function image(title: string, height: number, drawn: readonly Markup[]): Markup {
  return html`<svg class="chart" width="100%" height="${height}" role="img" aria-label="${title}">\n${drawn}</svg>`
}

function sum(parts: readonly Part[]): number {
  return parts.reduce((total, { value }) => total + value, 0)
}

function percent(value: number): string {
  return `${Number(value.toFixed(3))}%`
}

function round(value: number): number {
  return Number(value.toFixed(1))
}
