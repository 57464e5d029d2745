/** The cases, each with whether it passes, and what it got in place of what it expects. */
import { useState } from 'preact/hooks'
import { isIniCase, suiteCaseInputs } from '#engine'
import type { EditedCase } from '../model/state.js'
import { Icon } from './icons.js'
import type { Props } from './props.js'

export function CasesList(props: Props) {
  const { state, texts } = props
  const { cases, outcomes } = state
  if (cases.length === 0) return <p class="empty">{texts.cases.empty}</p>
  const passed = cases.filter(({ id }) => outcomes.get(id)?.passed === true).length
  return (
    <>
      <output class="cases-summary">{texts.cases.summary(passed, cases.length)}</output>
      <ul class="cases">
        {cases.map((one) => (
          <CaseItem key={one.id} {...props} one={one} />
        ))}
      </ul>
    </>
  )
}

function CaseItem({ page, state, texts, one: { id, testCase, isReadOnly } }: Props & { readonly one: EditedCase }) {
  const { cases: words } = texts
  const outcome = state.outcomes.get(id)
  // The list is drawn again while somebody types, such as for a result that arrives.
  const [typed, setTyped] = useState<string | null>(null)
  const verdict = outcome === undefined ? words.waiting : outcome.passed ? words.passed : words.failed
  return (
    <li class={`case ${outcome === undefined ? '' : outcome.passed ? 'met' : 'unmet'}`}>
      <span class="case-verdict" title={verdict}>
        {outcome !== undefined && <Icon name={outcome.passed ? 'check' : 'cross'} />}
        <span class="hidden-text">{verdict}</span>
      </span>
      <div class="case-text">
        <input
          type="text"
          class="case-name"
          value={typed ?? testCase.name}
          readOnly={isReadOnly === true}
          aria-label={words.name}
          onInput={({ currentTarget: { value } }) => setTyped(value)}
          onChange={({ currentTarget: { value } }) => {
            setTyped(null)
            page.cases.rename(id, value)
          }}
        />
        <code>{suiteCaseInputs(testCase).at(-1)?.input.event}</code>
        {outcome?.checks
          .filter((check) => !check.passed)
          .map(({ label, expected, actual }) => (
            <p key={label} class="case-fault">
              {words.check(label, expected, actual)}
            </p>
          ))}
        {outcome?.depends_on_clock === true && <p class="hint">{words.clock}</p>}
      </div>
      {isIniCase(testCase) && <span class="tag">.ini</span>}
      <button type="button" class="button quiet" onClick={() => page.cases.open(id)}>
        {words.open}
      </button>
      {isReadOnly !== true && (
        <button type="button" class="button quiet icon-only" aria-label={words.remove} title={words.remove} onClick={() => page.cases.delete(id)}>
          <Icon name="close" />
        </button>
      )}
    </li>
  )
}
