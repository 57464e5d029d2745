/** All subcommands, in the order of the help. The modules of a command, and the engine with them, are loaded when it runs: they take most of its start. */
import type { Command, CommandName } from './command.js'

/** By name: loads the command. */
export const COMMANDS: { readonly [Name in CommandName]: () => Promise<Command<Name>> } = {
  logtest: async () => (await import('./logtest.js')).logtest,
  validate: async () => (await import('./validate.js')).validate,
  test: async () => (await import('./test.js')).test,
  generate: async () => (await import('./generate.js')).generate,
  audit: async () => (await import('./audit.js')).audit,
  mutate: async () => (await import('./mutate.js')).mutate,
  diff: async () => (await import('./diff.js')).diff,
  guard: async () => (await import('./guard.js')).guard,
  wazuh5: async () => (await import('./wazuh5.js')).wazuh5,
  bisect: async () => (await import('./bisect.js')).bisect,
  shrink: async () => (await import('./shrink.js')).shrink,
  replay: async () => (await import('./replay.js')).replay,
  redos: async () => (await import('./redos.js')).redos,
  regex: async () => (await import('./regex.js')).regex,
  bench: async () => (await import('./bench.js')).bench,
  schema: async () => (await import('./schema.js')).schema,
  explain: async () => (await import('./explain.js')).explain,
  lsp: async () => (await import('./lsp.js')).lsp,
  playground: async () => (await import('./playground.js')).playground,
  serve: async () => (await import('./serve.js')).serve,
  backup: async () => (await import('./backup.js')).backup,
  restore: async () => (await import('./restore.js')).restore,
}

export const COMMAND_NAMES = Object.keys(COMMANDS) as CommandName[]

export function isCommand(name: string | undefined): name is CommandName {
  return name !== undefined && Object.hasOwn(COMMANDS, name)
}
