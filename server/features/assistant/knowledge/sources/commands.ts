/**
 * A record for each command of the command line and each setting of the service, and language. They are made from the texts of the help, which has one for
 * every command, option and setting; the tables of the commands are above this folder.
 */
import { CONFIG_VARIABLES, SECRET_CHARACTERS } from '../../../../core/config.js'
import { LOCALES, type Locale } from '../../../../core/i18n/locale.js'
import { help as english } from '../../../../core/i18n/messages/en-US/help.js'
import { settings as settingsEnglish } from '../../../../core/i18n/messages/en-US/settings.js'
import { help as portuguese } from '../../../../core/i18n/messages/pt-BR/help.js'
import { settings as settingsPortuguese } from '../../../../core/i18n/messages/pt-BR/settings.js'
import { fill } from '../../../../core/i18n/translate.js'
import { lines, recordsOf, wordsOf } from '../record.js'
import type { Source } from './source.js'

const PROGRAM = 'detection-content'
/** A command's texts, without the literal types of each. */
interface CommandTexts {
  readonly summary: string
  readonly usage: readonly string[]
  readonly description: readonly string[]
  readonly options: Readonly<Record<string, string>>
}

const HELP: Readonly<Record<Locale, { readonly commands: Readonly<Record<string, CommandTexts>> }>> = { 'en-US': english, 'pt-BR': portuguese }
const SETTINGS = { 'en-US': settingsEnglish, 'pt-BR': settingsPortuguese } as const satisfies Readonly<Record<Locale, unknown>>

/** A remark or a sentence with a value that only the table of the command has. */
const UNFILLED = / \([^()]*\{\w+\}[^()]*\)|[^.]*\{\w+\}[^.]*\.?/g

export const commands: Source = function* () {
  for (const locale of LOCALES) {
    const words = wordsOf(locale)
    for (const [name, { summary, usage, description, options }] of Object.entries(HELP[locale].commands)) {
      const described = Object.entries(options).map(([option, text]) => `--${option}: ${text.replace(UNFILLED, '')}`)
      yield* recordsOf(
        { uid: `command:${name}:${locale}`, kind: 'command', title: `${PROGRAM} ${name}: ${summary}`, locale, contextTypes: ['general'] },
        lines(
          `${words.usage}:`,
          usage.map((line) => `${PROGRAM} ${name} ${line}`),
          description.map((text) => text.replace(UNFILLED, '')),
          described.length === 0 ? '' : `${words.options}:`,
          described,
        ),
      )
    }
    for (const { setting, name } of CONFIG_VARIABLES) {
      const text = fill(SETTINGS[locale][setting], { characters: SECRET_CHARACTERS })
      yield* recordsOf({ uid: `command:setting.${name}:${locale}`, kind: 'command', title: `${name} (${words.setting})`, locale, contextTypes: ['general'] }, text)
    }
  }
}
