/** Chooses the language of the output. */
import type { Locale } from '#engine'
import type { ProcessIo } from './command.js'

/** Those of the engine, which is loaded with a command, and not before it. */
const TEXTS_IN = { 'en-US': true, 'pt-BR': true } as const satisfies Record<Locale, true>
export const LOCALES = Object.keys(TEXTS_IN) as readonly Locale[]

/**
 * The value of `--locale`, at any position and even in an invalid call; else the language of the terminal. An unknown language
 * is ignored here: the command refuses it, in another language.
 */
export function languageOf(argv: readonly string[], env: ProcessIo['env']): Locale {
  return writtenLocale(argv) ?? terminalLocale(env)
}

/** The last occurrence counts, as for every option. */
function writtenLocale(argv: readonly string[]): Locale | undefined {
  const end = argv.indexOf('--')
  const words = end < 0 ? argv : argv.slice(0, end)
  const written = words.map((word, index) => (word === '--locale' ? words[index + 1] : word.startsWith('--locale=') ? word.slice('--locale='.length) : undefined))
  return written.map((tag) => LOCALES.find((locale) => locale === tag)).findLast((locale) => locale !== undefined)
}

/** The terminal's language if there are texts for it, else English. */
function terminalLocale(env: ProcessIo['env']): Locale {
  const language = [env.LC_ALL, env.LC_MESSAGES, env.LANG].find((value) => value !== undefined && value !== '') ?? ''
  return language.toLowerCase().startsWith('pt') ? 'pt-BR' : 'en-US'
}
