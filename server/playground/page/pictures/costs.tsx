/** What header, decoders and rules of a run cost. */
import type { Locale, LogtestReport, StageTimes } from '#engine'
import { PICTURE_WORDS } from './words.js'
import { wayOf } from './way-model.js'

export interface CostsProps {
  readonly times: StageTimes
  /** The answer with its trace, which tells how much was tried; null: unknown. */
  readonly answer?: LogtestReport | null
  readonly locale: Locale
}

export function Costs({ times, answer = null, locale }: CostsProps) {
  const words = PICTURE_WORDS[locale]
  const tried = answer === null || answer.trace.length === 0 ? null : wayOf(answer).tried
  const stages = [
    { name: words.predecoding, ms: times.predecode_ms, tried: null },
    { name: words.decoding, ms: times.decode_ms, tried: tried === null ? null : words.decoders(tried.decoders) },
    { name: words.matching, ms: times.rule_ms, tried: tried === null ? null : words.rules(tried.rules) },
  ]
  const total = stages.reduce((sum, { ms }) => sum + ms, 0)
  let from = 0
  return (
    <figure class="pic pic-costs" aria-label={words.costs}>
      <svg width="100%" height="12" aria-hidden="true" focusable="false">
        {stages.map(({ name, ms }, index) => {
          const part = total === 0 ? 0 : (ms / total) * 100
          const at = from
          from += part
          return <rect key={name} class={`pic-stage-${index}`} x={`${at.toFixed(2)}%`} width={`${part.toFixed(2)}%`} height="12" />
        })}
      </svg>
      <dl class="pic-parts">
        {stages.map(({ name, ms, tried: count }, index) => (
          <div key={name}>
            <dt>
              <span class={`pic-key pic-stage-${index}`} aria-hidden="true" /> {name}
            </dt>
            <dd>
              {milliseconds(ms, locale)}
              {count !== null && <span class="pic-quiet"> {count}</span>}
            </dd>
          </div>
        ))}
      </dl>
    </figure>
  )
}

function milliseconds(ms: number, locale: Locale): string {
  return `${ms.toLocaleString(locale, { maximumFractionDigits: ms < 1 ? 3 : 1 })} ms`
}
