/** What is wrong with the content: a line that says how much, and the list. */
import { useState } from 'preact/hooks'
import { nameOfFix, type Problem } from '../editor/problems.js'
import { Icon } from './icons.js'
import type { Props } from './props.js'

/** Problems that are listed. The first ones are corrected first. */
const LISTED = 200

export function Problems({ page, state, texts, problems }: Props & { readonly problems: readonly Problem[] }) {
  const [isOpen, setOpen] = useState(true)
  const { problems: words } = texts
  if (state.diagnosis === null) return <div class="problems" />
  if (problems.length === 0)
    return (
      <div class="problems">
        <p class="problems-none">
          <Icon name="check" />
          {words.none}
        </p>
      </div>
    )
  const errors = problems.filter(({ record }) => record.severity === 'error').length
  return (
    <div class="problems">
      <button type="button" class="problems-head" aria-expanded={isOpen} aria-controls="problem-list" onClick={() => setOpen(!isOpen)}>
        <Icon name="warning" />
        <span class={errors > 0 ? 'severity-error' : 'severity-warning'}>{errors > 0 ? words.errors(errors) : words.count(problems.length)}</span>
        {errors > 0 && errors < problems.length && <span class="muted">{words.count(problems.length)}</span>}
        {!state.diagnosis.loads && <span class="refuses">{words.refuses}</span>}
        <span class="space" />
        <span class={`turn ${isOpen ? 'is-open' : ''}`}>
          <Icon name="down" />
        </span>
      </button>
      {isOpen && (
        <ul id="problem-list" class="problem-list" aria-label={words.label}>
          {problems.slice(0, LISTED).map((problem, index) => (
            <ProblemItem key={index} page={page} state={state} texts={texts} problem={problem} />
          ))}
        </ul>
      )}
    </div>
  )
}

function ProblemItem({ page, state, texts, problem: { record, file, mark } }: Props & { readonly problem: Problem }) {
  const { problems: words, severities, effects } = texts
  const { severity, code, message, hint, filename, line, engine_effect, more } = record
  // After a change the places are wrong until the next answer.
  const isCurrent = file !== null && state.files.includes(file)
  const place = line === null ? filename : `${filename}, ${words.line(line)}`
  return (
    <li class="problem">
      <span class={`dot severity-${severity}`} title={severities[severity]} />
      <div class="problem-text">
        <p>
          {file !== null && mark !== null ? (
            <button type="button" class="link-button" onClick={() => page.files.goTo(file.id, mark.from, mark.to)}>
              {message}
            </button>
          ) : (
            message
          )}
          {more > 0 && <span class="muted"> {words.more(more)}</span>}
        </p>
        {hint !== '' && <p class="hint">{hint}</p>}
        <p class="problem-facts">
          <button type="button" class="code-link" title={words.explain} onClick={() => void page.showPage(code)}>
            {code}
          </button>
          <span>{place}</span>
          {engine_effect !== 'none' && (
            <span>
              {words.effect} {effects[engine_effect]}
            </span>
          )}
        </p>
      </div>
      {file !== null && mark !== null && (mark.fixes.length > 0 || record.attack !== undefined) && (
        <div class="problem-fixes">
          {record.attack !== undefined && (
            <button type="button" class="button fix" disabled={!isCurrent} aria-busy={state.attacked === record} onClick={() => void page.events.showAttack(record, file)}>
              <Icon name="plus" />
              {state.attacked === record ? words.attackSearching : words.attack}
            </button>
          )}
          {mark.fixes.map((fix, index) => (
            <button type="button" key={index} class="button fix" disabled={!isCurrent} onClick={() => page.files.fix(file, fix)}>
              {words.fix(nameOfFix(fix, file.content, texts))}
            </button>
          ))}
        </div>
      )}
    </li>
  )
}
