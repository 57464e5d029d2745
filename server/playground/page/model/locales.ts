import type { Locale } from '#engine'

/** The engine has the same list; importing it from there would put the engine into the page. */
export const LOCALES: readonly Locale[] = ['en-US', 'pt-BR']
