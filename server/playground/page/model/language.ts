/** The language server in the worker, as the page asks it. */
import type { Requests } from '../../../language/protocol.js'
import type { LanguageMethod } from '../../worker/protocol.js'

/** Asks about the content as it is now. Null: there is no answer. @throws LanguageFault when the server says why it does not do it */
export type AskLanguage = <M extends LanguageMethod>(ask: M, params: Requests[M][0]) => Promise<Requests[M][1] | null>

/** Why the language server does not do something, in words for people. */
export class LanguageFault extends Error {}
