/** Counts the results of a run's events, for the summary at its end. */
import type { Locale, LogtestReport } from '#engine'
import { formatMs, formatNumber } from '../terminal/numbers.js'
import type { Palette } from '../terminal/palette.js'
import { paintLevel } from '../terminal/palette.js'
import { printable, shorten } from '../terminal/printable.js'
import { REPORT_WORDS } from './words.js'

/** Maximum number of rules that are listed. */
const TOP_SHOWN = 5
const DESCRIPTION_SHOWN = 70

export class EventSummary {
  events = 0
  alerts = 0
  silent = 0
  unmatched = 0
  undecoded = 0
  refused = 0
  readonly #rules = new Map<string, { count: number; readonly level: number; readonly description: string }>()

  add({ ok, rule, decoder, alert }: LogtestReport): void {
    this.events++
    if (!ok) {
      this.refused++
      return
    }
    if (decoder === null) this.undecoded++
    if (rule === null) {
      this.unmatched++
      return
    }
    if (alert) this.alerts++
    else this.silent++
    const known = this.#rules.get(rule.id)
    if (known === undefined) this.#rules.set(rule.id, { count: 1, level: rule.level, description: rule.description })
    else known.count++
  }

  describe(elapsedMs: number, locale: Locale, paint: Palette): string {
    const words = REPORT_WORDS[locale]
    const part = (count: number, word: (count: number, text: string) => string): string => word(count, formatNumber(count, locale))
    const parts = [paint.bold(part(this.events, words.events))]
    if (this.alerts > 0) parts.push(paint.warning(part(this.alerts, words.alerts)))
    else parts.push(part(0, words.alerts))
    if (this.silent > 0) parts.push(part(this.silent, words.silent))
    if (this.unmatched > 0) parts.push(part(this.unmatched, words.unmatched))
    if (this.undecoded > 0) parts.push(part(this.undecoded, words.undecoded))
    if (this.refused > 0) parts.push(paint.error(part(this.refused, words.refusedCount)))
    const lines = [`${parts.join(paint.dim(' · '))}${paint.dim(` · ${formatMs(elapsedMs, locale)}`)}`]
    const top = [...this.#rules].sort(([, a], [, b]) => b.count - a.count || b.level - a.level).slice(0, TOP_SHOWN)
    if (this.events > 1 && top.length > 1) {
      const width = Math.max(...top.map(([, { count }]) => formatNumber(count, locale).length))
      lines.push(paint.dim(words.top))
      for (const [id, { count, level, description }] of top) {
        const times = `${formatNumber(count, locale).padStart(width)} ×`
        lines.push(
          `  ${times} ${paint.bold(id.padStart(6))}  ${paintLevel(paint, level, `${words.level} ${String(level).padEnd(2)}`)}  ${printable(shorten(description, DESCRIPTION_SHOWN))}`,
        )
      }
    }
    return `${lines.join('\n')}\n`
  }
}
