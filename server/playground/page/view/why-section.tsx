/** Why a rule or decoder matches the event, or does not; and what came near. */
import { useEffect, useRef, useState } from 'preact/hooks'
import { WhyNot } from '../pictures/index.js'
import { Icon } from './icons.js'
import { choosingOf, type SectionProps } from './section.js'

/** The form of an id of a rule. */
const RULE_ID = /^\d{1,6}$/

export function WhySection(props: SectionProps) {
  const { page, state, texts, event, answer } = props
  const [written, setWritten] = useState('')
  const { why: words } = texts
  const { inspected, near } = state
  // That nothing else came near says something only where no rule matches.
  const misses = near?.event === event.id && (near.misses.length > 0 || answer.report.rule === null) ? near.misses : null
  const inspection = inspected?.inspection ?? null
  const target = inspected?.target ?? null
  const box = useRef<HTMLElement>(null)
  useEffect(() => {
    if (inspection !== null) box.current?.scrollIntoView({ block: 'nearest' })
    // Not when the same rule is inspected again.
  }, [target, inspection === null])
  return (
    <section ref={box} class="why">
      <h3>{words.title}</h3>
      <form
        class="why-form"
        onSubmit={(submit) => {
          submit.preventDefault()
          page.events.inspect({ kind: 'rule', id: written.trim() })
        }}
      >
        <input
          type="text"
          class="short"
          inputMode="numeric"
          value={written}
          aria-label={words.rule}
          placeholder={words.rule}
          onInput={({ currentTarget: { value } }) => setWritten(value)}
        />
        <button type="submit" class="button" disabled={!RULE_ID.test(written.trim())}>
          {words.show}
        </button>
        <span class="muted">{words.help}</span>
      </form>
      {misses !== null && <WhyNot inspection={null} nearMisses={misses} locale={state.locale} {...choosingOf(props)} />}
      {inspection !== null && (
        <output class="inspected">
          <WhyNot inspection={inspection} locale={state.locale} {...choosingOf(props)} />
          {target?.kind === 'rule' && (
            <button type="button" class="button" onClick={() => page.views.open('graph', target)}>
              <Icon name="graph" />
              {texts.views.graph}
            </button>
          )}
          <button
            type="button"
            class="button quiet icon-only inspected-close"
            aria-label={texts.actions.close}
            title={texts.actions.close}
            onClick={() => page.events.closeInspection()}
          >
            <Icon name="close" />
          </button>
        </output>
      )}
    </section>
  )
}
