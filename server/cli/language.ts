/** Chooses the language of the output. */
import { LOCALES, type Locale } from '#engine'
import type { ProcessIo } from './command.js'

/**
 * What `--locale` says wherever it stands in a call, even one that can't be understood; else the language of the terminal. A language that we don't have
 * is passed over: the command refuses it, in another.
 */
export function languageOf(argv: readonly string[], env: ProcessIo['env']): Locale {
  return writtenLocale(argv) ?? terminalLocale(env)
}

/** The last one, as for every option. */
function writtenLocale(argv: readonly string[]): Locale | undefined {
  const end = argv.indexOf('--')
  const words = end < 0 ? argv : argv.slice(0, end)
  const written = words.map((word, index) => (word === '--locale' ? words[index + 1] : word.startsWith('--locale=') ? word.slice('--locale='.length) : undefined))
  return written.map((tag) => LOCALES.find((locale) => locale === tag)).findLast((locale) => locale !== undefined)
}

/** That of the terminal, if we have it; else English. */
function terminalLocale(env: ProcessIo['env']): Locale {
  const language = [env.LC_ALL, env.LC_MESSAGES, env.LANG].find((value) => value !== undefined && value !== '') ?? ''
  return language.toLowerCase().startsWith('pt') ? 'pt-BR' : 'en-US'
}
