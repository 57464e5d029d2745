/** Asks for a name. */
import { useState } from 'preact/hooks'
import { Dialog } from './dialog.js'
import type { Props } from './props.js'

interface NameDialogProps extends Pick<Props, 'texts'> {
  readonly title: string
  readonly initial: string
  /** Takes the name. @returns why it cannot be used; null: it is taken */
  readonly onName: (name: string) => string | null
  readonly onClose: () => void
}

export function NameDialog({ title, initial, texts: { actions }, onName, onClose }: NameDialogProps) {
  const [name, setName] = useState(initial)
  const [fault, setFault] = useState<string | null>(null)
  return (
    <Dialog title={title} closeLabel={actions.close} onClose={onClose}>
      <form
        onSubmit={(submit) => {
          submit.preventDefault()
          const refused = onName(name.trim())
          if (refused === null) onClose()
          else setFault(refused)
        }}
      >
        <input
          type="text"
          value={name}
          aria-label={title}
          aria-invalid={fault !== null}
          spellcheck={false}
          // A name is most often changed before its ending.
          ref={(input) => {
            if (input !== null && document.activeElement !== input) input.focus()
          }}
          onInput={({ currentTarget: { value } }) => {
            setName(value)
            setFault(null)
          }}
        />
        {fault !== null && (
          <p class="fault" role="alert">
            {fault}
          </p>
        )}
        <div class="dialog-actions">
          <button type="button" class="button" onClick={onClose}>
            {actions.cancel}
          </button>
          <button type="submit" class="button primary" disabled={name.trim() === ''}>
            {title}
          </button>
        </div>
      </form>
    </Dialog>
  )
}
