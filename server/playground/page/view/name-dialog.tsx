/** Asks for another name. */
import { useState } from 'preact/hooks'
import { Dialog } from './dialog.js'
import type { Props } from './props.js'

interface NameProps extends Pick<Props, 'texts'> {
  readonly title: string
  readonly label: string
  readonly name: string
  /** Returns why it cannot have this name; null: it has. */
  readonly rename: (name: string) => Promise<string | null> | string | null
  readonly onClose: () => void
}

export function NameDialog({ title, label, name, texts: { actions, code }, rename, onClose }: NameProps) {
  const [written, setWritten] = useState(name)
  const [fault, setFault] = useState<string | null>(null)
  const submit = async (event: Event): Promise<void> => {
    event.preventDefault()
    const found = await rename(written)
    if (found === null) onClose()
    else setFault(found)
  }
  return (
    <Dialog title={title} closeLabel={actions.close} onClose={onClose}>
      <form onSubmit={(event) => void submit(event)}>
        <label class="name-field">
          {label}
          <input
            autofocus
            onFocus={({ currentTarget }) => currentTarget.select()}
            type="text"
            autocomplete="off"
            spellcheck={false}
            value={written}
            aria-invalid={fault !== null}
            onInput={({ currentTarget: { value } }) => setWritten(value)}
          />
        </label>
        {fault !== null && (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={onClose}>
            {actions.cancel}
          </button>
          <button type="submit" class="button primary">
            {code.renameButton}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
