/** The page: three parts, the head above them, and what is said once. */
import { useEffect, useState } from 'preact/hooks'
import { showTheme, systemIsDark } from '../model/choices.js'
import { type DroppedFile, importFiles, ImportError, readDrop } from '../model/import.js'
import type { Playground } from '../model/playground.js'
import type { Part, State } from '../model/state.js'
import { TEXTS, type Texts } from '../texts/index.js'
import { AnswerPane } from './answer-pane.js'
import { ContentPane } from './content-pane.js'
import { Dialog } from './dialog.js'
import { EventsPane } from './events-pane.js'
import { HomeBar } from './home-bar.js'
import { Icon } from './icons.js'
import { ImportDialog } from './import-dialog.js'
import { Late } from './late.js'
import { NOTHING_READ, type Reading } from './reading.js'
import { ShareDialog } from './share-dialog.js'
import { pressShortcut, SHORTCUT_KEYS } from './shortcuts.js'
import { Splitter } from './splitter.js'
import { TopBar } from './top-bar.js'
import { useEditors } from './use-editors.js'
import { ViewsDialog } from './views-dialog.js'

const PARTS: readonly Part[] = ['content', 'events', 'answer']

interface AppProps {
  readonly page: Playground
  /** Shows the work that the browser has kept, in place of that of the link. */
  readonly onOwnWork: () => void
}

export function App({ page, onOwnWork }: AppProps) {
  const [state, setState] = useState(page.store.state)
  const [reading, setReading] = useState<Reading>(NOTHING_READ)
  const [isDragged, setDragged] = useState(false)
  useEffect(() => {
    setState(page.store.state)
    return page.store.subscribe(() => setState(page.store.state))
  }, [])
  const texts = TEXTS[state.locale]
  useEffect(() => {
    document.documentElement.lang = state.locale
    document.title = `${texts.title} · detection-content`
  }, [state.locale])
  useEffect(() => {
    const apply = (): void => showTheme(state.theme)
    apply()
    const system = systemIsDark()
    system.addEventListener('change', apply)
    return () => system.removeEventListener('change', apply)
  }, [state.theme])
  const read = async (name: string, files: readonly DroppedFile[]): Promise<void> => {
    page.store.update({ dialog: 'import' })
    try {
      setReading({ imported: await importFiles(name, files), fault: null })
    } catch (error) {
      if (!(error instanceof ImportError)) throw error
      setReading({ imported: null, fault: error.fault })
    }
  }
  useEffect(() => {
    const press = (event: KeyboardEvent): void => pressShortcut(event, page)
    const hasFiles = (event: DragEvent): boolean => event.dataTransfer?.types.includes('Files') === true
    const over = (event: DragEvent): void => {
      if (!hasFiles(event)) return
      event.preventDefault()
      setDragged(true)
    }
    const leave = (event: DragEvent): void => {
      if (event.relatedTarget === null) setDragged(false)
    }
    const drop = (event: DragEvent): void => {
      setDragged(false)
      if (!hasFiles(event) || event.dataTransfer === null) return
      event.preventDefault()
      void readDrop(event.dataTransfer).then(({ name, files }) => read(name, files))
    }
    // The editors would take a file as text.
    const options = { capture: true }
    document.addEventListener('keydown', press)
    document.addEventListener('dragover', over, options)
    document.addEventListener('dragleave', leave, options)
    document.addEventListener('drop', drop, options)
    return () => {
      document.removeEventListener('keydown', press)
      document.removeEventListener('dragover', over, options)
      document.removeEventListener('dragleave', leave, options)
      document.removeEventListener('drop', drop, options)
    }
  }, [])
  const closeDialog = (): void => {
    page.store.update({ dialog: null })
    setReading(NOTHING_READ)
  }
  const missing = (): void => {
    closeDialog()
    page.notify(texts.views.missing, null)
  }
  const props = { page, state, texts }
  const editors = useEditors(state, missing)
  return (
    <div class="page" data-part={state.part}>
      <TopBar {...props} />
      {state.origin === 'link' && <LinkBar page={page} texts={texts} onOwnWork={onOwnWork} />}
      {state.home !== null && <HomeBar {...props} home={state.home} />}
      {state.refusal !== null && <Refusal state={state} texts={texts} />}
      <nav class="switch" aria-label={texts.parts.label}>
        {PARTS.map((part) => (
          <button type="button" key={part} aria-pressed={state.part === part} onClick={() => page.store.update({ part })}>
            {texts.parts[part]}
          </button>
        ))}
      </nav>
      <main class="parts">
        <div class="left">
          <section class="part content" aria-label={texts.parts.content}>
            <ContentPane {...props} {...editors} />
          </section>
          <Splitter label={texts.files.splitter} direction="horizontal" variable="--content-height" initial={60} />
          <section class="part below" aria-label={texts.parts.events}>
            <EventsPane {...props} />
          </section>
        </div>
        <Splitter label={texts.files.splitter} direction="vertical" variable="--left-width" initial={57} />
        <section class="part answer" aria-label={texts.parts.answer}>
          <AnswerPane {...props} {...editors} />
        </section>
      </main>
      {state.notice !== null && (
        <output class="notice">
          <span>{state.notice.text}</span>
          {state.notice.undo !== null && (
            <button type="button" class="button" onClick={() => page.undo()}>
              {texts.actions.undo}
            </button>
          )}
          <button type="button" class="button quiet icon-only" aria-label={texts.actions.close} title={texts.actions.close} onClick={() => page.closeNotice()}>
            <Icon name="close" />
          </button>
        </output>
      )}
      {isDragged && <div class="drop-here">{texts.import.dropHere}</div>}
      {state.views !== null && <ViewsDialog {...props} views={state.views} />}
      {state.dialog === 'share' && <ShareDialog {...props} />}
      {state.dialog === 'import' && <ImportDialog {...props} reading={reading} onFiles={(name, files) => void read(name, files)} onClose={closeDialog} />}
      {state.dialog === 'merge' && state.home !== null && (
        <Late load={() => import('./merge-dialog.js').then(({ MergeDialog }) => MergeDialog)} props={{ ...props, home: state.home, onClose: closeDialog }} onMissing={missing} />
      )}
      {state.dialog === 'service' && page.service !== null && (
        <Late
          load={() => import('./service-dialog.js').then(({ ServiceDialog }) => ServiceDialog)}
          props={{ ...props, client: page.service, onClose: closeDialog }}
          onMissing={missing}
        />
      )}
      {state.dialog === 'keys' && <KeysDialog texts={texts} onClose={closeDialog} />}
      {state.dialog === 'about' && (
        <Dialog title={state.home === null ? texts.privacy.short : texts.home.privacy.short} closeLabel={texts.actions.close} onClose={closeDialog}>
          <p>{state.home === null ? texts.privacy.long : texts.home.privacy.long(state.home.name)}</p>
        </Dialog>
      )}
    </div>
  )
}

function LinkBar({ page, texts, onOwnWork }: AppProps & { readonly texts: Texts }) {
  return (
    <output class="banner">
      <span>{texts.link.text}</span>
      <button type="button" class="button" onClick={() => page.keepLink()}>
        {texts.link.keep}
      </button>
      <button type="button" class="button" onClick={onOwnWork}>
        {texts.link.own}
      </button>
    </output>
  )
}

function Refusal({ state, texts }: { readonly state: State; readonly texts: Texts }) {
  const { refusal, locale } = state
  if (refusal === null || refusal.code === 'superseded') return null
  return (
    <div class="banner is-fault" role="alert">
      <Icon name="warning" />
      <span>{texts.refusals[refusal.code]((refusal.limit ?? 0).toLocaleString(locale))}</span>
    </div>
  )
}

function KeysDialog({ texts, onClose }: { readonly texts: Texts; readonly onClose: () => void }) {
  const { keys: words } = texts
  return (
    <Dialog title={words.title} closeLabel={texts.actions.close} onClose={onClose}>
      <dl class="keys">
        {Object.entries(SHORTCUT_KEYS).map(([name, keys]) => (
          <div key={name}>
            <dt>
              {keys.map((key) => (
                <kbd key={key}>{key}</kbd>
              ))}
            </dt>
            <dd>{words.rows[name as keyof typeof words.rows]}</dd>
          </div>
        ))}
      </dl>
      <p class="hint">{words.note}</p>
    </Dialog>
  )
}
