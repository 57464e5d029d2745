/** Loads the editors: after the first answer, or when somebody wants to write before. */
import { useEffect, useState } from 'preact/hooks'
import type { State } from '../model/state.js'
import type { Props } from './props.js'

export type Editors = typeof import('./editors.js')

/** What a part with an editor gets. */
export interface EditorProps extends Props {
  /** Null: they are not loaded, and the text is shown as it is. */
  readonly editors: Editors | null
  /** Somebody wants to write. */
  readonly onWrite: () => void
}

/** @param onMissing they cannot be loaded: there is no connection, or the page is older than its server */
export function useEditors(state: State, onMissing: () => void): Pick<EditorProps, 'editors' | 'onWrite'> {
  const [editors, setEditors] = useState<Editors | null>(null)
  const [wishes, setWishes] = useState(0)
  const isAnswered = state.answers.size > 0 || state.events.length === 0 || state.refusal !== null
  const isWanted = isAnswered || wishes > 0
  // An effect follows what is painted, so the answer is seen before.
  useEffect(() => {
    if (isWanted && editors === null) void import('./editors.js').then(setEditors, onMissing)
  }, [isWanted, wishes])
  return { editors, onWrite: () => setWishes(wishes + 1) }
}
