/** Why a rule is, or is not, the final one for the event. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { Explanation } from '#engine'
import type { Texts } from '../texts/index.js'
import type { SectionProps } from './answer-pane.js'
import { Icon } from './icons.js'

export function ExplanationBox({ page, state, texts }: SectionProps) {
  const [written, setWritten] = useState('')
  const { explain: words } = texts
  const { explained } = state
  const box = useRef<HTMLElement>(null)
  const explanation = explained?.explanation ?? null
  const rule = explained?.rule ?? null
  useEffect(() => {
    if (explanation !== null) box.current?.scrollIntoView({ block: 'nearest' })
    // Not when the same rule is explained anew.
  }, [rule, explanation === null])
  return (
    <section ref={box}>
      <h3>{words.label}</h3>
      <form
        class="explain-form"
        onSubmit={(event) => {
          event.preventDefault()
          page.explain(written.trim())
        }}
      >
        <input
          type="text"
          class="short"
          inputMode="numeric"
          value={written}
          aria-label={words.rule}
          placeholder={words.rule}
          title={words.help}
          onInput={({ currentTarget: { value } }) => setWritten(value)}
        />
        <button type="submit" class="button" disabled={!/^\d+$/.test(written.trim())}>
          {words.button}
        </button>
        <span class="muted">{words.help}</span>
      </form>
      {rule !== null && explanation !== null && (
        <output class="explanation">
          <div class="explanation-head">
            <strong>{words.title(rule)}</strong>
            <span class={`verdict ${explanation.matched ? 'met' : 'unmet'}`}>
              <Icon name={explanation.matched ? 'check' : 'cross'} />
              {explanation.matched ? words.matched : words.notMatched}
            </span>
            <span class="space" />
            <button type="button" class="button quiet icon-only" aria-label={texts.actions.close} title={texts.actions.close} onClick={() => page.closeExplanation()}>
              <Icon name="close" />
            </button>
          </div>
          <ExplanationText explanation={explanation} texts={texts} onRule={(id) => page.explain(id)} />
        </output>
      )}
    </section>
  )
}

function ExplanationText({ explanation, texts, onRule }: { readonly explanation: Explanation; readonly texts: Texts; readonly onRule: (id: string) => void }) {
  const { explain: words } = texts
  const { reason, path, failed_condition, won_instead, nearest_decoder } = explanation
  return (
    <>
      <p>{reason}</p>
      {path.length > 1 && (
        <p class="small-path">
          {path.map(({ rule_id, matched }) => (
            <button type="button" key={rule_id} class={`chip ${matched ? 'met' : 'unmet'}`} onClick={() => onRule(rule_id)}>
              <Icon name={matched ? 'check' : 'cross'} />
              {rule_id}
            </button>
          ))}
        </p>
      )}
      {failed_condition !== null && <FailedCondition failed={failed_condition} texts={texts} />}
      {won_instead !== null && (
        <p>
          {words.won(won_instead.rule_id)} {won_instead.description}
        </p>
      )}
      {nearest_decoder !== null && <p>{words.nearest(nearest_decoder.name)}</p>}
    </>
  )
}

/** Characters around the place where matching stopped. */
const AROUND = 120

function FailedCondition({ failed, texts }: { readonly failed: NonNullable<Explanation['failed_condition']>; readonly texts: Texts }) {
  const { explain: words, answer } = texts
  const { tag, field, pattern, negate, text, stopped_at } = failed
  return (
    <dl class="failed">
      <dt>{answer.condition}</dt>
      <dd>
        <code>
          {'<'}
          {tag}
          {field === null ? '' : ` ${field}`}
          {'>'}
        </code>{' '}
        <code class="pattern">
          {negate ? '!' : ''}
          {pattern}
        </code>
      </dd>
      <dt>{answer.text}</dt>
      <dd>
        {text === null ? (
          <span class="muted">{words.absent}</span>
        ) : stopped_at === null ? (
          <code>{text}</code>
        ) : (
          <StoppedText text={text} offset={stopped_at.text_offset} title={words.stopped} />
        )}
      </dd>
      {stopped_at !== null && stopped_at.expected !== '' && (
        <>
          <dt>{words.expected}</dt>
          <dd>
            <code class="pattern">{stopped_at.expected}</code>
          </dd>
        </>
      )}
    </dl>
  )
}

/** A text with the character at which matching stopped. */
function StoppedText({ text, offset, title }: { readonly text: string; readonly offset: number; readonly title: string }) {
  const characters = [...text]
  const from = Math.max(0, offset - AROUND)
  return (
    <code class="stopped" title={title}>
      {from > 0 && '…'}
      <span class="stopped-before">{characters.slice(from, offset).join('')}</span>
      <mark>{characters[offset] ?? '␃'}</mark>
      {characters.slice(offset + 1, offset + AROUND).join('')}
      {characters.length > offset + AROUND && '…'}
    </code>
  )
}
