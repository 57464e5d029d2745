/** Builds the help texts from the tables of the commands and their texts. */
import type { Locale } from '#engine'
import { help as english } from '../core/i18n/messages/en-US/help.js'
import { help as portuguese } from '../core/i18n/messages/pt-BR/help.js'
import { fill } from '../core/i18n/translate.js'
import type { OptionSpec, OptionTable } from './arguments.js'
import { COMMON_OPTIONS } from './arguments.js'
import type { Command, CommandName } from './command.js'
import { EXIT } from './exit-codes.js'
import type { Palette } from './terminal/palette.js'

export const PROGRAM = 'detection-content'

const TEXTS = { 'en-US': english, 'pt-BR': portuguese } as const satisfies Record<Locale, unknown>

/** The words of a command's help. */
export type CommandWords = (typeof english)['commands']
/** Names that help texts use for values of options. */
export type ValueName = keyof (typeof english)['values']
/** Options whose help texts are shared by several commands. */
export type SharedOptions = { readonly [Name in keyof (typeof english)['shared']]?: OptionSpec }

/** Column at which the explanation of an option begins. */
const OPTION_COLUMN = 26
/** Maximum width of texts. */
const TEXT_WIDTH = 100

export function programHelp(commands: readonly CommandName[], locale: Locale, paint: Palette): string {
  const { program, headings, shared } = TEXTS[locale]
  const width = Math.max(...commands.map((name) => name.length)) + 2
  return [
    `${paint.bold(PROGRAM)}: ${program.summary}`,
    '',
    paint.bold(headings.usage),
    ...program.usage.map((line) => `  ${PROGRAM} ${line}`),
    '',
    paint.bold(headings.commands),
    ...commands.map((name) => `  ${paint.accent(name.padEnd(width))}${TEXTS[locale].commands[name].summary}`),
    '',
    paint.bold(headings.commonOptions),
    ...optionLines(COMMON_OPTIONS, shared, locale),
    `  ${'--version'.padEnd(OPTION_COLUMN - 2)}${program.version}`,
    '',
    paint.bold(headings.exitCodes),
    ...(Object.keys(EXIT) as (keyof typeof EXIT)[]).map((name) => `  ${EXIT[name]}  ${program.exitCodes[name]}`),
    '',
    paint.bold(headings.begin),
    `  echo 'Mar 10 08:15:30 web01 sshd[2211]: Failed password for root from 203.0.113.9 port 50022 ssh2' | ${PROGRAM} logtest`,
    '',
  ].join('\n')
}

export function commandHelp({ name, options, examples, helpParams }: Command, locale: Locale, paint: Palette): string {
  const { headings, shared, commands } = TEXTS[locale]
  const words = commands[name]
  const params = helpParams?.(locale) ?? {}
  const explained = Object.fromEntries(Object.entries({ ...shared, ...words.options }).map(([option, text]) => [option, fill(text, params)]))
  return [
    `${paint.bold(`${PROGRAM} ${name}`)}: ${words.summary}`,
    '',
    paint.bold(headings.usage),
    ...words.usage.map((line) => `  ${PROGRAM} ${name} ${line}`.trimEnd()),
    '',
    ...words.description.flatMap((paragraph) => [...wrap(fill(paragraph, params), TEXT_WIDTH), '']),
    paint.bold(headings.options),
    ...optionLines({ ...options, ...COMMON_OPTIONS }, explained, locale),
    '',
    paint.bold(headings.examples),
    ...examples.flatMap((line, index) => [`  ${paint.dim(`# ${words.examples[index]}`)}`, `  ${line}`]),
    '',
  ].join('\n')
}

/** @param explained the help text of each option in the table */
function optionLines(table: OptionTable, explained: Readonly<Record<string, string>>, locale: Locale): string[] {
  return Object.entries(table).map(([name, { short, value, values }]) => {
    const written = `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${TEXTS[locale].values[value]}`}`
    const choices = values === undefined ? '' : ` [${values.join(' | ')}]`
    const explanation = wrap(`${explained[name]}${choices}`, TEXT_WIDTH - OPTION_COLUMN).join(`\n${' '.repeat(OPTION_COLUMN)}`)
    return written.length + 4 > OPTION_COLUMN ? `  ${written}\n${' '.repeat(OPTION_COLUMN)}${explanation}` : `  ${written.padEnd(OPTION_COLUMN - 2)}${explanation}`
  })
}

/** Breaks a text into lines. */
function wrap(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines[lines.length - 1]
    if (line !== '' && line.length + word.length >= width) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines
}
