/** A part of the page that is loaded when it is needed for the first time. */
import type { ComponentType } from 'preact'
import { useEffect, useState } from 'preact/hooks'

interface LateProps<P> {
  readonly load: () => Promise<ComponentType<P>>
  readonly props: P
  /** It cannot be loaded: there is no connection, or the page is older than its server. */
  readonly onMissing: () => void
}

export function Late<P extends object>({ load, props, onMissing }: LateProps<P>) {
  const [Part, setPart] = useState<ComponentType<P> | null>(null)
  useEffect(() => {
    void load().then((part) => setPart(() => part), onMissing)
  }, [])
  return Part === null ? null : <Part {...props} />
}
