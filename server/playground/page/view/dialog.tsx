/** A modal dialog of the browser: it keeps the focus inside, and gives it back. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef } from 'preact/hooks'
import { Icon } from './icons.js'

interface DialogProps {
  readonly title: string
  readonly closeLabel: string
  /** Default: `dialog`. */
  readonly class?: string
  readonly onClose: () => void
  readonly children: ComponentChildren
}

export function Dialog({ title, closeLabel, class: className = 'dialog', onClose, children }: DialogProps) {
  const box = useRef<HTMLDialogElement>(null)
  // Before the next key: it may be one for the dialog already. The element with `autofocus` gets the focus.
  useLayoutEffect(() => {
    const dialog = box.current
    dialog?.showModal()
    return () => dialog?.close()
  }, [])
  return (
    // biome-ignore lint/a11y/useKeyWithClickEvents: Escape closes it as well.
    <dialog
      ref={box}
      class={className}
      aria-label={title}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClick={(event) => {
        if (event.target === box.current) onClose()
      }}
    >
      <div class="dialog-body">
        <header>
          <h2>{title}</h2>
          <button type="button" class="button quiet icon-only" aria-label={closeLabel} title={closeLabel} onClick={onClose}>
            <Icon name="close" />
          </button>
        </header>
        {children}
      </div>
    </dialog>
  )
}
