/** The verdicts of the guard as a picture: a point and an interval for each path, around the cost of the build before. */
import type { Verdict } from './verdict.js'

const WIDTH = 720
const LABELS = 210
const VALUES = 70
const ROW = 30
const HEAD = 34
/** Ratios at the ends of the axis; what is beyond is drawn at its end. */
const [LOWEST, HIGHEST] = [0.8, 1.2]
const TICKS = [0.8, 0.9, 1, 1.1, 1.2]

/** @param limit above which a path is drawn as slower @returns an SVG document for light and dark pages */
export function guardChart(verdicts: ReadonlyMap<string, Verdict>, limit: number): string {
  const height = HEAD + verdicts.size * ROW + 12
  const rows = [...verdicts].map(([path, verdict], index) => row(path, verdict, HEAD + index * ROW + ROW / 2, limit))
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${height}" viewBox="0 0 ${WIDTH} ${height}" role="img" aria-label="Cost of this build, of the build before">
<style>
text { font: 13px system-ui, sans-serif; fill: #24292f } .axis { stroke: #d0d7de } .one { stroke: #57606a } .limit { stroke: #cf222e; stroke-dasharray: 3 3 }
.holds { fill: #1f6f4a; stroke: #1f6f4a } .slower { fill: #cf222e; stroke: #cf222e } .small { font-size: 11px; fill: #57606a }
@media (prefers-color-scheme: dark) { text { fill: #e6edf3 } .axis { stroke: #30363d } .one { stroke: #8d96a0 } .small { fill: #8d96a0 } .holds { fill: #56d4a0; stroke: #56d4a0 } .limit { stroke: #ff7b72 } .slower { fill: #ff7b72; stroke: #ff7b72 } }
</style>
${TICKS.map((tick) => line(tick, height, tick === 1 ? 'one' : 'axis', tick.toFixed(1))).join('\n')}
${line(limit, height, 'limit', '')}
${rows.join('\n')}
</svg>
`
}

function line(ratio: number, height: number, kind: string, label: string): string {
  return `<line class="${kind}" x1="${x(ratio)}" x2="${x(ratio)}" y1="${HEAD - 8}" y2="${height - 8}"/><text class="small" x="${x(ratio)}" y="16" text-anchor="middle">${label}</text>`
}

function row(path: string, { ratio, from, to }: Verdict, y: number, limit: number): string {
  const kind = ratio > limit ? 'slower' : 'holds'
  const interval = from === null || to === null ? '' : `<line class="${kind}" stroke-width="2" x1="${x(from)}" x2="${x(to)}" y1="${y}" y2="${y}"/>`
  return `<text x="4" y="${y + 4}">${path}</text>${interval}<circle class="${kind}" cx="${x(ratio)}" cy="${y}" r="4"/><text x="${WIDTH - 4}" y="${y + 4}" text-anchor="end">${ratio.toFixed(3)}</text>`
}

function x(ratio: number): string {
  const share = (Math.min(Math.max(ratio, LOWEST), HIGHEST) - LOWEST) / (HIGHEST - LOWEST)
  return (LABELS + share * (WIDTH - LABELS - VALUES)).toFixed(1)
}
