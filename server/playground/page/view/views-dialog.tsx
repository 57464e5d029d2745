/** The window with the pictures of the whole ruleset. What it shows is loaded when it is opened first. */
import type { FunctionComponent } from 'preact'
import { useEffect, useState } from 'preact/hooks'
import type { Ruleset, ViewName, Views } from '../model/state.js'
import { Dialog } from './dialog.js'
import type { Props } from './props.js'

export interface ViewsProps extends Props {
  readonly views: Views
  readonly ruleset: Ruleset
}

const NAMES: readonly ViewName[] = ['graph', 'map', 'attack', 'audit', 'cases', 'differences']

export function ViewsDialog(props: Props & { readonly views: Views }) {
  const { page, state, texts, views } = props
  const { views: words } = texts
  const [Content, setContent] = useState<FunctionComponent<ViewsProps> | null>(null)
  const [isMissing, setMissing] = useState(false)
  useEffect(() => {
    void import('./ruleset-views.js').then(
      ({ RulesetViews }) => setContent(() => RulesetViews),
      () => setMissing(true),
    )
  }, [])
  const move = (event: KeyboardEvent): void => {
    const step = event.key === 'ArrowRight' ? 1 : event.key === 'ArrowLeft' ? -1 : 0
    if (step === 0) return
    const next = NAMES[(NAMES.indexOf(views.shown) + step + NAMES.length) % NAMES.length]
    page.views.open(next, null)
    document.getElementById(`view-${next}`)?.focus()
  }
  return (
    <Dialog title={words.title} class="dialog views" closeLabel={texts.actions.close} onClose={() => page.views.close()}>
      <div class="tabs" role="tablist" aria-label={words.title} onKeyDown={move}>
        {NAMES.map((name) => (
          <button
            type="button"
            key={name}
            id={`view-${name}`}
            class="tab"
            role="tab"
            aria-selected={views.shown === name}
            aria-controls="view"
            tabIndex={views.shown === name ? 0 : -1}
            onClick={() => page.views.open(name, null)}
          >
            {words[name]}
          </button>
        ))}
      </div>
      <div id="view" class="view" role="tabpanel" aria-label={words[views.shown]}>
        {isMissing ? (
          <p class="fault" role="alert">
            {words.missing}
          </p>
        ) : Content === null || state.ruleset === null ? (
          <p class="muted">{words.waiting}</p>
        ) : (
          <Content {...props} ruleset={state.ruleset} />
        )}
      </div>
    </Dialog>
  )
}
