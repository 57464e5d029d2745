/** A button that opens a short list of actions: arrow keys move in it, Escape and a click elsewhere close it. */
import type { ComponentChildren } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'
import { Icon } from './icons.js'

export interface MenuItem {
  readonly label: string
  readonly act: () => void
  /** Whether a choice is chosen; absent: the item is an action. */
  readonly isChosen?: boolean
}

interface MenuProps {
  /** Name of the button and of the list. */
  readonly label: string
  /** Whether the content of the button says its name. */
  readonly isNamed?: boolean
  readonly class?: string
  readonly items: readonly MenuItem[]
  readonly children: ComponentChildren
}

export function Menu({ label, isNamed = false, class: className = 'button quiet', items, children }: MenuProps) {
  const [isOpen, setOpen] = useState(false)
  const box = useRef<HTMLDivElement>(null)
  const buttons = (): HTMLButtonElement[] => [...(box.current?.querySelectorAll<HTMLButtonElement>('[role^=menuitem]') ?? [])]
  // Before the next key: a later focus would take it from the item that somebody has gone to meanwhile.
  useLayoutEffect(() => {
    if (!isOpen) return
    buttons()[0]?.focus()
    const closeOutside = (event: Event): void => {
      if (!box.current?.contains(event.target as Node)) setOpen(false)
    }
    document.addEventListener('pointerdown', closeOutside)
    return () => document.removeEventListener('pointerdown', closeOutside)
  }, [isOpen])
  const close = (): void => {
    setOpen(false)
    box.current?.querySelector('button')?.focus()
  }
  const move = (event: KeyboardEvent): void => {
    if (!isOpen) return
    const all = buttons()
    const at = all.indexOf(document.activeElement as HTMLButtonElement)
    if (event.key === 'Escape') close()
    else if (event.key === 'ArrowDown') all[(at + 1) % all.length].focus()
    else if (event.key === 'ArrowUp') all[(at - 1 + all.length) % all.length].focus()
    else if (event.key === 'Tab') return setOpen(false)
    else return
    event.preventDefault()
    event.stopPropagation()
  }
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: the keys are those of the buttons inside.
    <div class="menu" ref={box} onKeyDown={move}>
      <button
        type="button"
        class={className}
        aria-haspopup="menu"
        aria-expanded={isOpen}
        {...(isNamed ? {} : { 'aria-label': label })}
        title={label}
        onClick={() => setOpen(!isOpen)}
      >
        {children}
      </button>
      {isOpen && (
        <div class="menu-list" role="menu" aria-label={label}>
          {items.map(({ label: text, act, isChosen }) => (
            <button
              type="button"
              key={text}
              role={isChosen === undefined ? 'menuitem' : 'menuitemradio'}
              {...(isChosen === undefined ? {} : { 'aria-checked': isChosen })}
              onClick={() => {
                close()
                act()
              }}
            >
              <span class="menu-mark">{isChosen === true && <Icon name="check" />}</span>
              {text}
            </button>
          ))}
        </div>
      )}
    </div>
  )
}
