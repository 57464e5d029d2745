/** What a home does for the page, and what the page does for it. */
import type { FolderRefusalCode } from '../../folder-api.js'
import type { Home } from './home.js'
import type { Parts } from './home-sync.js'
import type { State } from './state.js'

export interface SaveResult {
  /** What could not be saved, and why, in the language of the page. */
  readonly failed: readonly { readonly name: string; readonly reason: string }[]
  /** Whether something must be decided before the rest can be saved. */
  readonly hasConflicts: boolean
}

export interface HomeKeeper {
  /** Begins to follow what changes at home, when the page shows it. */
  begin(page: HomePage): void
  /** Writes what differs, but for conflicts. */
  save(): Promise<SaveResult>
  /** Compares with that from which it comes, where the home can. */
  compare?(): Promise<void>
  /** Ends what is running, such as waiting for changes. */
  close(): void
}

export interface HomePage {
  readonly state: State
  /** The home that this keeper opened. */
  updateHome(change: (home: Home) => Partial<Home>): void
  /** Shows what has changed at home. */
  takeOver(taken: Parts): void
  /** The name that a saved file has at home. */
  nameFile(id: number, filename: string): void
  tell(text: string): void
  /** Says that others have saved. @param hasConflicts whether something must be decided */
  tellOfOthers(hasConflicts: boolean): void
  /** Says that others have saved cases that were changed here as well. */
  tellOfCases(names: readonly string[]): void
  /** Asks for a credential, in place of one that is not valid any more. */
  signIn(): void
  /** Says why a folder refuses. */
  words(code: FolderRefusalCode | 'unreachable'): string
}

/** Before there is one. */
export const NO_PAGE: HomePage = {
  get state(): State {
    throw new TypeError('the home has no page')
  },
  updateHome: () => undefined,
  takeOver: () => undefined,
  nameFile: () => undefined,
  tell: () => undefined,
  tellOfOthers: () => undefined,
  tellOfCases: () => undefined,
  signIn: () => undefined,
  words: (code) => code,
}
