/** All texts of the page. Those of diagnostics, hints and explanations come from the engine. */
import type { Locale } from '#engine'
import { english, type Texts } from './en-US.js'
import { portuguese } from './pt-BR.js'

export type { Texts } from './en-US.js'

export const TEXTS: Readonly<Record<Locale, Texts>> = { 'en-US': english, 'pt-BR': portuguese }
