/** The verdicts of the guard as a picture: a point and an interval for each path, around the cost of the build before. */
import { lineAt, round, svg, TOP, textAt, WIDTH } from '../chart.js'
import type { Verdict } from './verdict.js'

const LABELS = 200
const VALUES = 52
const ROW = 26
/** Length of an arrow. */
const ARROW = 9
/** Ratios at the ends of the axis; an arrow at an end stands for a ratio beyond it. */
const [LOWEST, HIGHEST] = [0.8, 1.2]
const TICKS = [LOWEST, 0.9, 1, 1.1, HIGHEST]

/** @param limit above which a path is drawn as slower @returns an SVG document for light and dark pages */
export function guardChart(verdicts: ReadonlyMap<string, Verdict>, limit: number): string {
  const heading = {
    title: 'Cost of this build, as a share of the build before',
    notes: ['Below 1 this build costs less. Points are medians of several runs,', `lines their intervals of 95 %. Red: above the limit of ${limit}, dashed.`] as const,
  }
  const bottom = TOP + verdicts.size * ROW
  const ticks = TICKS.flatMap((tick) => [lineAt(x(tick), TOP - 4, bottom, tick === 1 ? 'one' : 'axis'), textAt(x(tick), TOP - 12, tick.toFixed(1), 'small muted', 'middle')])
  const rows = [...verdicts].flatMap(([path, verdict], index) => row(path, verdict, TOP + index * ROW + ROW / 2, limit))
  return svg(heading, bottom + 4, [...ticks, lineAt(x(limit), TOP - 4, bottom, 'dashed'), ...rows])
}

function row(path: string, { ratio, from, to }: Verdict, y: number, limit: number): string[] {
  const tone = ratio > limit ? 'red' : 'green'
  const interval = from === null || to === null ? [] : [`<line class="${tone}" stroke-width="2" x1="${x(from)}" x2="${x(to)}" y1="${y}" y2="${y}"/>`]
  return [textAt(0, y + 4, path), ...interval, point(ratio, y, tone), textAt(WIDTH, y + 4, ratio.toFixed(3), 'small', 'end')]
}

function point(ratio: number, y: number, tone: string): string {
  if (ratio >= LOWEST && ratio <= HIGHEST) return `<circle class="${tone}" cx="${x(ratio)}" cy="${y}" r="4"/>`
  const back = ratio < LOWEST ? ARROW : -ARROW
  return `<path class="${tone}" d="M${x(ratio)} ${y}l${back} -5v10z"/>`
}

function x(ratio: number): number {
  const share = (Math.min(Math.max(ratio, LOWEST), HIGHEST) - LOWEST) / (HIGHEST - LOWEST)
  return round(LABELS + share * (WIDTH - LABELS - VALUES))
}
