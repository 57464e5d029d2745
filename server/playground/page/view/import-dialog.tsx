/** What somebody has dropped or chosen, and what happens to it. */
import { useState } from 'preact/hooks'
import type { DroppedFile, Imported } from '../model/import.js'
import { Dialog } from './dialog.js'
import { Icon } from './icons.js'
import type { Props } from './props.js'
import type { Reading } from './reading.js'

interface ImportProps extends Props {
  readonly reading: Reading
  readonly onFiles: (name: string, files: readonly DroppedFile[]) => void
  readonly onClose: () => void
}

export function ImportDialog({ page, state, texts, reading, onFiles, onClose }: ImportProps) {
  const { import: words, actions } = texts
  return (
    <Dialog title={words.title} closeLabel={actions.close} onClose={onClose}>
      {reading.imported === null ? (
        <>
          <p>{words.help}</p>
          {reading.fault !== null && (
            <p class="fault" role="alert">
              {words.faults[reading.fault]}
            </p>
          )}
          <div class="choices">
            <FileChoice label={words.files} isFolder={false} onFiles={onFiles} />
            <FileChoice label={words.folder} isFolder={true} onFiles={onFiles} />
            {page.service !== null && (
              <button type="button" class="button" onClick={() => page.store.update({ dialog: 'service' })}>
                <Icon name="cloud" />
                {texts.service.open}
              </button>
            )}
          </div>
          <p class="hint">{words.dropHere}</p>
        </>
      ) : (
        <Choice page={page} state={state} texts={texts} imported={reading.imported} onClose={onClose} />
      )}
    </Dialog>
  )
}

function FileChoice({ label, isFolder, onFiles }: { readonly label: string; readonly isFolder: boolean; readonly onFiles: ImportProps['onFiles'] }) {
  return (
    <label class="button choice">
      <Icon name="import" />
      {label}
      <input
        type="file"
        class="hidden-text"
        multiple
        {...(isFolder ? { webkitdirectory: true } : { accept: '.xml,.zip,.json,.ini,.txt' })}
        onChange={({ currentTarget }) => {
          const files = [...(currentTarget.files ?? [])]
          if (files.length === 0) return
          const path = files[0].webkitRelativePath
          onFiles(
            path === '' ? files[0].name : path.split('/')[0],
            files.map((file) => ({ path: file.webkitRelativePath || file.name, file })),
          )
          currentTarget.value = ''
        }}
      />
    </label>
  )
}

function Choice({ page, state, texts, imported, onClose }: Props & { readonly imported: Imported; readonly onClose: () => void }) {
  const { import: words, actions } = texts
  const [use, setUse] = useState<'content' | 'base'>(imported.isRuleset ? 'base' : 'content')
  const [isRemembered, setRemembered] = useState(false)
  const count = (kind: string): number => imported.files.filter((file) => file.kind === kind).length
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        onClose()
        void page.useImport(imported, use, isRemembered)
      }}
    >
      <p>{words.found(count('rules'), count('decoders'), count('lists'), imported.cases.length)}</p>
      {imported.skipped > 0 && <p class="hint">{words.skipped(imported.skipped)}</p>}
      {imported.unread > 0 && <p class="hint">{words.unread(imported.unread)}</p>}
      <label class="check">
        <input type="radio" name="use" checked={use === 'content'} onChange={() => setUse('content')} />
        <span>
          {words.asContent}
          <span class="hint">{words.asContentHelp(state.files.length)}</span>
        </span>
      </label>
      <label class="check">
        <input type="radio" name="use" checked={use === 'base'} onChange={() => setUse('base')} />
        <span>
          {words.asBase}
          <span class="hint">{words.asBaseHelp}</span>
        </span>
      </label>
      {use === 'base' && (
        <label class="check">
          <input type="checkbox" checked={isRemembered} onChange={({ currentTarget: { checked } }) => setRemembered(checked)} />
          <span>
            {words.remember}
            <span class="hint">{words.rememberHelp}</span>
          </span>
        </label>
      )}
      <div class="dialog-actions">
        <button type="button" class="button" onClick={onClose}>
          {actions.cancel}
        </button>
        <button type="submit" class="button primary">
          {words.use}
        </button>
      </div>
    </form>
  )
}
