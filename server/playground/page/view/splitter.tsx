/** A border between two parts that can be moved, with the pointer or with arrow keys. The size is a percentage in a variable of the style sheet. */
import { useRef, useState } from 'preact/hooks'

interface SplitterProps {
  readonly label: string
  /** `vertical`: a line from top to bottom. */
  readonly direction: 'vertical' | 'horizontal'
  readonly variable: string
  readonly initial: number
}

const LEAST = 25
const MOST = 78
const STEP = 2

export function Splitter({ label, direction, variable, initial }: SplitterProps) {
  const [size, setSize] = useState(initial)
  const line = useRef<HTMLDivElement>(null)
  const isVertical = direction === 'vertical'
  const change = (wanted: number): void => {
    const next = Math.round(Math.max(LEAST, Math.min(MOST, wanted)))
    setSize(next)
    line.current?.parentElement?.style.setProperty(variable, `${next}%`)
  }
  const drag = (event: PointerEvent): void => {
    if (!line.current?.hasPointerCapture(event.pointerId)) return
    const area = line.current.parentElement?.getBoundingClientRect()
    if (area === undefined) return
    change(isVertical ? ((event.clientX - area.left) / area.width) * 100 : ((event.clientY - area.top) / area.height) * 100)
  }
  const press = ({ key }: KeyboardEvent): void => {
    if (key === (isVertical ? 'ArrowLeft' : 'ArrowUp')) change(size - STEP)
    else if (key === (isVertical ? 'ArrowRight' : 'ArrowDown')) change(size + STEP)
  }
  return (
    // biome-ignore lint/a11y/useSemanticElements: an <hr> is a separator that cannot be moved.
    <div
      ref={line}
      class={`splitter ${direction}`}
      role="separator"
      tabIndex={0}
      aria-label={label}
      aria-orientation={direction}
      aria-valuenow={size}
      aria-valuemin={LEAST}
      aria-valuemax={MOST}
      onPointerDown={(event) => event.currentTarget.setPointerCapture(event.pointerId)}
      onPointerMove={drag}
      onKeyDown={press}
    />
  )
}
