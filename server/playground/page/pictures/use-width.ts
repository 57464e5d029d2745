import type { RefObject } from 'preact'
import { useLayoutEffect, useRef, useState } from 'preact/hooks'

/** The width of an element, which pictures of fixed letters need to lay themselves out. @param initial where nothing is measured, such as in markup without script */
export function useWidth<E extends HTMLElement>(initial: number): readonly [RefObject<E | null>, number] {
  const element = useRef<E>(null)
  const [width, setWidth] = useState(initial)
  useLayoutEffect(() => {
    const { current } = element
    if (current === null) return
    const measure = (): void => {
      if (current.clientWidth > 0) setWidth(current.clientWidth)
    }
    measure()
    const observer = new ResizeObserver(measure)
    observer.observe(current)
    return () => observer.disconnect()
  }, [])
  return [element, width]
}
