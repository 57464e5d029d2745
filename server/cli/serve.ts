/** The subcommand `serve`: starts the service. */
import type { Locale } from '#engine'
import { CONFIG_VARIABLES, SECRET_CHARACTERS, type Setting } from '../core/config.js'
import { settings as english } from '../core/i18n/messages/en-US/settings.js'
import { settings as portuguese } from '../core/i18n/messages/pt-BR/settings.js'
import { localizeError } from '../core/i18n/localized-error.js'
import { fill } from '../core/i18n/translate.js'
import type { Command } from './command.js'

const SETTINGS = { 'en-US': english, 'pt-BR': portuguese } as const satisfies Record<Locale, Readonly<Record<Setting, string>>>

export const serve: Command<'serve'> = {
  name: 'serve',
  options: { 'accept-new-secret-key': { type: 'boolean' } },
  examples: ['detection-content serve', 'detection-content serve', 'detection-content serve --accept-new-secret-key'],
  helpParams: (locale) => {
    const meaning = (setting: Setting): string => fill(SETTINGS[locale][setting], { characters: SECRET_CHARACTERS })
    return { settings: CONFIG_VARIABLES.map(({ setting, name }) => `${name} (${meaning(setting)})`).join('; ') }
  },
  async run({ args, env, stderr, locale }) {
    args.requireNoOperands()
    // Imported late: no other command needs the server's libraries.
    const { runService } = await import('../main.js')
    const report = (fault: Error): void => void stderr.line(`detection-content serve: ${localizeError(fault, locale)}`)
    return runService(env, report, { acceptNewSecretKey: args.flag('accept-new-secret-key') })
  },
}
