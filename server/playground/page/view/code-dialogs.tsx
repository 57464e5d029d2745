/** Dialogs about the code: lists of places, a new name, the page about a diagnostic. */
import { useEffect, useRef, useState } from 'preact/hooks'
import type { CodeCommands } from '../editor/code-commands.js'
import { renderMarkdown } from '../editor/markdown.js'
import type { CodePlace } from '../model/state.js'
import { Dialog } from './dialog.js'
import { NameDialog } from './name-dialog.js'
import type { Props } from './props.js'

export function CodeDialogs({ page, state, texts, commands }: Props & { readonly commands: CodeCommands }) {
  const { codeDialog: dialog } = state
  const { code: words, actions } = texts
  const close = (): void => page.store.update({ codeDialog: null })
  const open = ({ file, range }: CodePlace): void => {
    close()
    commands.open(file, range)
  }
  switch (dialog?.kind) {
    case undefined:
      return null
    case 'outline':
      return <PlacesDialog title={words.outline} hint={words.outlineHint} {...{ texts, open, close }} search={(query) => commands.search(query)} />
    case 'places':
      return <PlacesDialog title={dialog.title} hint={words.filterHint} {...{ texts, open, close }} search={(query) => Promise.resolve(filter(dialog.places, query))} />
    case 'rename':
      return (
        <NameDialog
          title={words.renameTitle(dialog.name)}
          label={words.newName}
          name={dialog.name}
          texts={texts}
          onClose={close}
          rename={(name) => commands.rename(dialog.name, name)}
        />
      )
    case 'page':
      return (
        <Dialog title={dialog.code} closeLabel={actions.close} onClose={close}>
          <Prose text={dialog.text} />
        </Dialog>
      )
  }
}

function filter(places: readonly CodePlace[], query: string): readonly CodePlace[] {
  const words = query.toLowerCase().split(/\s+/)
  return places.filter(({ name, detail, file }) => words.every((word) => `${name} ${detail} ${file.filename}`.toLowerCase().includes(word)))
}

function Prose({ text }: { readonly text: string }) {
  const box = useRef<HTMLDivElement>(null)
  useEffect(() => box.current?.replaceChildren(renderMarkdown(text)), [text])
  return <div ref={box} />
}

interface PlacesProps extends Pick<Props, 'texts'> {
  readonly title: string
  readonly hint: string
  readonly search: (query: string) => Promise<readonly CodePlace[]>
  readonly open: (place: CodePlace) => void
  readonly close: () => void
}

/** A field and a list: arrow keys move in the list while one types. */
function PlacesDialog({ title, hint, texts, search, open, close }: PlacesProps) {
  const { code: words, actions, problems } = texts
  const [query, setQuery] = useState('')
  const [found, setFound] = useState<readonly CodePlace[] | null>(null)
  const [chosen, setChosen] = useState(0)
  const list = useRef<HTMLDivElement>(null)
  useEffect(() => {
    let isNewest = true
    void search(query).then((places) => {
      if (!isNewest) return
      setFound(places)
      setChosen(0)
    })
    return () => {
      isNewest = false
    }
  }, [query])
  useEffect(() => list.current?.querySelector('[aria-selected=true]')?.scrollIntoView({ block: 'nearest' }), [chosen, found])
  const press = (event: KeyboardEvent): void => {
    const count = found?.length ?? 0
    const step = event.key === 'ArrowDown' ? 1 : event.key === 'ArrowUp' ? -1 : 0
    if (step !== 0 && count > 0) setChosen((chosen + step + count) % count)
    else if (event.key === 'Enter' && found?.[chosen] !== undefined) open(found[chosen])
    else return
    event.preventDefault()
  }
  return (
    <Dialog title={title} closeLabel={actions.close} onClose={close}>
      <input
        autofocus
        type="text"
        class="places-field"
        role="combobox"
        aria-label={hint}
        aria-expanded={true}
        aria-controls="places"
        aria-activedescendant={`place-${chosen}`}
        placeholder={hint}
        autocomplete="off"
        spellcheck={false}
        value={query}
        onInput={({ currentTarget: { value } }) => setQuery(value)}
        onKeyDown={press}
      />
      <div id="places" class="places" role="listbox" aria-label={title} ref={list}>
        {found?.map((place, index) => (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the field.
          // biome-ignore lint/a11y/useFocusableInteractive: the field has the focus.
          <div key={index} class="place" id={`place-${index}`} role="option" aria-selected={index === chosen} onClick={() => open(place)}>
            <span class="place-name">{place.name}</span>
            <span class="place-detail">{place.detail}</span>
            <span class="place-file">
              {place.file.filename}, {problems.line(place.range.start.line + 1)}
            </span>
          </div>
        ))}
      </div>
      {found?.length === 0 && <p class="hint">{words.nothing}</p>}
    </Dialog>
  )
}
