/** Every subcommand, in the order in which the help names them. */
import { bench } from './bench.js'
import type { Command } from './command.js'
import { logtest } from './logtest.js'
import { regex } from './regex.js'
import { schema } from './schema.js'
import { test } from './test.js'
import { validate } from './validate.js'

export const COMMANDS: readonly Command[] = [logtest, validate, test, regex, bench, schema]
