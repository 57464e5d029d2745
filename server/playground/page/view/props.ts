import type { Playground } from '../model/playground.js'
import type { State } from '../model/state.js'
import type { Texts } from '../texts/index.js'

/** What every part of the page gets. */
export interface Props {
  readonly page: Playground
  readonly state: State
  readonly texts: Texts
}
