/** The help texts, made from the tables that the command itself reads. */
import type { OptionTable } from './arguments.js'
import { COMMON_OPTIONS } from './arguments.js'
import type { Command } from './command.js'
import type { Palette } from './terminal/palette.js'

export const PROGRAM = 'detection-content'

/** Column at which the explanation of an option begins. */
const OPTION_COLUMN = 26
/** Texts are broken here. */
const TEXT_WIDTH = 100

export function programHelp(commands: readonly Command[], paint: Palette): string {
  const width = Math.max(...commands.map(({ name }) => name.length)) + 2
  return [
    `${paint.bold(PROGRAM)}: write, test and run Wazuh-style detection content, exactly as Wazuh 4.14.7 runs it.`,
    '',
    paint.bold('Usage'),
    `  ${PROGRAM} COMMAND [OPTIONS] [...]`,
    `  ${PROGRAM} COMMAND --help`,
    '',
    paint.bold('Commands'),
    ...commands.map(({ name, summary }) => `  ${paint.accent(name.padEnd(width))}${summary}`),
    '',
    paint.bold('Options of every command'),
    ...optionLines(COMMON_OPTIONS),
    `  ${'--version'.padEnd(OPTION_COLUMN - 2)}the version`,
    '',
    paint.bold('Exit codes'),
    '  0  fine',
    '  1  errors in the content, a failed case, or a line that cannot be read',
    '  2  called wrongly, or a file that is not there',
    '',
    paint.bold('Begin with'),
    `  echo 'Mar 10 08:15:30 web01 sshd[2211]: Failed password for root from 203.0.113.9 port 50022 ssh2' | ${PROGRAM} logtest`,
    '',
  ].join('\n')
}

export function commandHelp({ name, summary, usage, description, options, examples }: Command, paint: Palette): string {
  return [
    `${paint.bold(`${PROGRAM} ${name}`)}: ${summary}`,
    '',
    paint.bold('Usage'),
    ...usage.map((line) => `  ${PROGRAM} ${name} ${line}`.trimEnd()),
    '',
    ...description.flatMap((paragraph) => [...wrap(paragraph, TEXT_WIDTH), '']),
    paint.bold('Options'),
    ...optionLines({ ...options, ...COMMON_OPTIONS }),
    '',
    paint.bold('Examples'),
    ...examples.flatMap(({ line, meaning }) => [`  ${paint.dim(`# ${meaning}`)}`, `  ${line}`]),
    '',
  ].join('\n')
}

function optionLines(table: OptionTable): string[] {
  return Object.entries(table).map(([name, { short, value, values, help }]) => {
    const written = `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`
    const choices = values === undefined ? '' : ` [${values.join(' | ')}]`
    const explanation = wrap(`${help}${choices}`, TEXT_WIDTH - OPTION_COLUMN).join(`\n${' '.repeat(OPTION_COLUMN)}`)
    return written.length + 4 > OPTION_COLUMN ? `  ${written}\n${' '.repeat(OPTION_COLUMN)}${explanation}` : `  ${written.padEnd(OPTION_COLUMN - 2)}${explanation}`
  })
}

/** Lines of words. */
function wrap(text: string, width: number): string[] {
  const lines = ['']
  for (const word of text.split(' ')) {
    const line = lines[lines.length - 1]
    if (line !== '' && line.length + word.length >= width) lines.push(word)
    else lines[lines.length - 1] = line === '' ? word : `${line} ${word}`
  }
  return lines
}
