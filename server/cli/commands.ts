/** All subcommands, in the order of the help. */
import { audit } from './audit.js'
import { backup } from './backup.js'
import { bench } from './bench.js'
import { bisect } from './bisect.js'
import type { Command } from './command.js'
import { diff } from './diff.js'
import { explain } from './explain.js'
import { generate } from './generate.js'
import { guard } from './guard.js'
import { logtest } from './logtest.js'
import { lsp } from './lsp.js'
import { mutate } from './mutate.js'
import { playground } from './playground.js'
import { redos } from './redos.js'
import { regex } from './regex.js'
import { replay } from './replay.js'
import { restore } from './restore.js'
import { schema } from './schema.js'
import { serve } from './serve.js'
import { shrink } from './shrink.js'
import { test } from './test.js'
import { validate } from './validate.js'
import { wazuh5 } from './wazuh5.js'

export const COMMANDS: readonly Command[] = [
  logtest,
  validate,
  test,
  generate,
  audit,
  mutate,
  diff,
  guard,
  wazuh5,
  bisect,
  shrink,
  replay,
  redos,
  regex,
  bench,
  schema,
  explain,
  lsp,
  playground,
  serve,
  backup,
  restore,
]
