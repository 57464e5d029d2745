/** Charts of the benches: SVG without script, legible on light and dark pages, on paper and on telephones. Refused: Vega-Lite and D3, megabytes for bars and lines. */

/** Small, so that its letters stay legible on a page of 390 pixels. */
export const WIDTH = 460
const LABELS = 116
/** Room for the value at the end of the longest bar. */
const VALUES = 58
const BAR = 13
const GAP = 14
/** Where the bars begin, below the title, two notes and a line of labels. */
export const TOP = 94

interface Heading {
  readonly title: string
  /** Lines below the title: when and where it was measured, and how. */
  readonly notes: readonly [string, string]
}

export interface BarChart extends Heading {
  /** Colour of each of the series, by name. */
  readonly series: Readonly<Record<string, 'green' | 'pale' | 'slate'>>
  /** A group has a value for each of the series. */
  readonly groups: readonly { readonly label: string; readonly note: string; readonly values: readonly number[] }[]
  /** Value of a line across all bars. */
  readonly mark?: number
}

/** Horizontal bars from zero, with their values. @returns an SVG document */
export function barChart({ series, groups, mark, ...heading }: BarChart): string {
  const tones = Object.values(series)
  const pitch = tones.length * BAR + GAP
  const bottom = TOP + groups.length * pitch - GAP
  const highest = Math.max(mark ?? 0, ...groups.flatMap(({ values }) => values))
  const x = (value: number): number => LABELS + (value / highest) * (WIDTH - LABELS - VALUES)
  const legend = Object.entries(series).map(([name, tone], index) => `<tspan class="${tone}" dx="${index === 0 ? 0 : 14}">■</tspan> ${name}`)
  const drawn = groups.flatMap(({ label, note, values }, index) => {
    const y = TOP + index * pitch
    const bars = values.flatMap((value, bar) => [
      `<rect class="${tones[bar]}" x="${LABELS}" y="${y + bar * BAR}" width="${round(x(value) - LABELS)}" height="${BAR - 2}"/>`,
      textAt(x(value) + 5, y + bar * BAR + 10, shortNumber(value), 'small'),
    ])
    return [textAt(0, y + 11, label), textAt(0, y + 25, note, 'small muted'), ...bars]
  })
  const marked = mark === undefined ? [] : [lineAt(x(mark), TOP - 4, bottom + 4, 'dashed'), textAt(x(mark), TOP - 14, `${mark} times`, 'small muted', 'middle')]
  return svg(heading, bottom + 6, [`<text x="0" y="${TOP - 14}" class="small">${legend.join('')}</text>`, lineAt(LABELS, TOP - 4, bottom + 4), ...marked, ...drawn])
}

/** A document with its heading; the margin is inside. */
export function svg(heading: Heading, height: number, drawn: readonly string[]): string {
  const notes = heading.notes.map((note, index) => textAt(0, 34 + index * 17, note, 'small muted'))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH + 24}" height="${height + 24}" viewBox="-12 -12 ${WIDTH + 24} ${height + 24}" role="img" aria-label="${heading.title}">
<style>
text { font: 13px system-ui, sans-serif; fill: #1f2328 } .title { font-size: 15px; font-weight: 600 } .small { font-size: 11.5px }
.page { fill: #fff } .axis { stroke: #d1d9e0 } .one, .dashed { stroke: #818b98 } .dashed { stroke-dasharray: 3 3 }
.green { fill: #1f6f4a } .pale { fill: #7fbf9f } .slate { fill: #8a97a6 } .muted { fill: #59636e } .red { fill: #c0392b } line.green { stroke: #1f6f4a } line.red { stroke: #c0392b }
@media screen and (prefers-color-scheme: dark) {
text { fill: #e6edf3 } .page { fill: #0d1117 } .axis { stroke: #3d444d } .one, .dashed { stroke: #7d8590 }
.green { fill: #4fbf8b } .pale { fill: #2f7152 } .slate { fill: #75818f } .muted { fill: #9198a1 } .red { fill: #f0766a } line.green { stroke: #4fbf8b } line.red { stroke: #f0766a }
}
</style>
<rect class="page" x="-12" y="-12" width="100%" height="100%"/>
${[textAt(0, 12, heading.title, 'title'), ...notes, ...drawn].join('\n')}
</svg>
`
}

export function textAt(x: number, y: number, text: string, kind = '', anchor = 'start'): string {
  return `<text x="${round(x)}" y="${round(y)}" class="${kind}" text-anchor="${anchor}">${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')}</text>`
}

/** A vertical line. */
export function lineAt(x: number, from: number, to: number, kind = 'axis'): string {
  return `<line class="${kind}" x1="${round(x)}" x2="${round(x)}" y1="${round(from)}" y2="${round(to)}"/>`
}

/** Three digits are enough here; the tables have more. */
export function shortNumber(value: number): string {
  return value.toLocaleString('en-US', { maximumSignificantDigits: 3 })
}

export function round(value: number): number {
  return Number(value.toFixed(1))
}
