/** All subcommands, in the order of the help. */
import { backup } from './backup.js'
import { bench } from './bench.js'
import type { Command } from './command.js'
import { explain } from './explain.js'
import { generate } from './generate.js'
import { logtest } from './logtest.js'
import { lsp } from './lsp.js'
import { playground } from './playground.js'
import { regex } from './regex.js'
import { restore } from './restore.js'
import { schema } from './schema.js'
import { serve } from './serve.js'
import { test } from './test.js'
import { validate } from './validate.js'

export const COMMANDS: readonly Command[] = [logtest, validate, test, generate, regex, bench, schema, explain, lsp, playground, serve, backup, restore]
