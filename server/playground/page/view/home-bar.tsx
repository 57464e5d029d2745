/** Where the content lives, what of it is not saved, and what must be decided. */
import { useMemo } from 'preact/hooks'
import { CASES, type Home, type Unsaved, unsavedOf } from '../model/home.js'
import type { ServiceFacts } from '../model/service-records.js'
import type { Texts } from '../texts/index.js'
import { Icon } from './icons.js'
import type { Props } from './props.js'

export function HomeBar({ page, state, texts, home }: Props & { readonly home: Home }) {
  const { home: words } = texts
  const unsaved = useMemo(() => unsavedOf(state, home), [state.files, state.cases, home])
  const isDone = unsaved.length === 0 && !home.isSaving
  return (
    <section class="home-bar" aria-label={home.name}>
      <Icon name={home.kind === 'folder' ? 'folder' : 'cloud'} />
      <strong class="home-name">{home.name}</strong>
      {home.leftOut.length > 0 && (
        <span class="muted" title={home.leftOut.map(({ path, reason }) => `${path}: ${words.leftOutReasons[reason]}`).join('\n')}>
          {words.leftOut(home.leftOut.length)}
        </span>
      )}
      {home.service !== null && <Facts page={page} texts={texts} facts={home.service} />}
      {home.fault !== null && (
        <span class="home-fault" role="alert">
          <Icon name="warning" />
          {words.faults[home.fault]}
        </span>
      )}
      <span class="space" />
      {home.conflicts.size > 0 && (
        <button type="button" class="button home-conflict" onClick={() => page.store.update({ dialog: 'merge' })}>
          <Icon name="warning" />
          <span class="home-conflict-text">{words.conflicts(home.conflicts.size)}</span>
          {words.decide}
        </button>
      )}
      {home.isReadOnly ? (
        <span class="muted">{words.readOnly}</span>
      ) : (
        <button
          type="button"
          class={`button ${isDone ? 'quiet' : 'primary'}`}
          disabled={isDone || home.isSaving || home.fault === 'ended'}
          title={isDone ? words.allSaved : unsaved.map((one) => describe(one, texts)).join('\n')}
          onClick={() => void page.home.save()}
        >
          {isDone ? (
            <>
              <Icon name="check" />
              <span class="all-saved">{words.allSaved}</span>
            </>
          ) : (
            words.saveCount(unsaved.length)
          )}
        </button>
      )}
      {home.service !== null && (
        <button
          type="button"
          class="button quiet icon-only"
          aria-label={texts.service.leave}
          title={texts.service.leave}
          onClick={() => {
            if (!isDone && !confirm(words.leave)) return
            page.home.leave()
            location.reload()
          }}
        >
          <Icon name="close" />
        </button>
      )}
    </section>
  )
}

/** What the service says about the content. */
function Facts({ page, texts, facts }: Pick<Props, 'page' | 'texts'> & { readonly facts: ServiceFacts }) {
  const { service: words } = texts
  const { base, gate, impact, report, workspaceId, isComparing } = facts
  const gateText = gate === null ? '' : words.gate[gate.state](gate.score, gate.failed)
  return (
    <span class="home-facts">
      {base === 'other' && (
        <span class="home-base" title={words.otherBaseHelp}>
          <Icon name="warning" />
          {words.otherBase}
        </span>
      )}
      {gate !== null &&
        (report === null ? (
          <span class={gate.state === 'passed' ? 'gate met' : 'gate unmet'}>{gateText}</span>
        ) : (
          <a class={gate.state === 'passed' ? 'gate met' : 'gate unmet'} href={report} target="_blank" rel="noreferrer" title={words.report}>
            {gateText}
          </a>
        ))}
      {workspaceId !== null &&
        (impact === null ? (
          <button type="button" class="link-button muted" disabled={isComparing} onClick={() => void page.home.compare()}>
            {isComparing ? words.comparing : words.compare}
          </button>
        ) : (
          <output class="muted">{words.impact(impact.improved_cases, impact.regressed_cases, impact.candidate_quality_score - impact.current_quality_score)}</output>
        ))}
    </span>
  )
}

function describe({ id, name, change }: Unsaved, { home: words }: Texts): string {
  if (id === CASES) return words.cases
  return change === 'removed' ? words.removed(name) : name
}
