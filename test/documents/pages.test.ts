/** Pages of documentation: their links resolve, and every command in them runs in a test or is listed here with the reason why not. */
import assert from 'node:assert/strict'
import test from 'node:test'
import { anchorsOf, commandsBySection, exists, linksOf, pages } from './pages.js'

/** Where the commands of a section run. `commands.test.ts` runs some itself. */
const COMMANDS: Readonly<Record<string, string>> = {
  'README.md Start': '.ci/run runs them in this order',
  'README.md One logtest': 'commands.test.ts',
  'server/README.md First calls': 'commands.test.ts',
  'server/README.md A project, from the first rule to the published version': 'commands.test.ts',
  'server/README.md Lists': 'commands.test.ts',
  'server/GIT.md A first import': 'git.test.ts',
  'server/GIT.md Merge by rule': 'git.test.ts',
  'server/GIT.md A conflict': 'git.test.ts',
  'server/GIT.md The webhook of the forge': 'git.test.ts',
  'server/GIT.md Publish': 'git.test.ts',
  'server/GIT.md Checks of pull and merge requests': 'git.test.ts',
  'server/GIT.md Roll back': 'git.test.ts',
  'server/BILLING.md The mock': 'billing.test.ts',
  'server/IDENTITY.md Connect a provider': 'identity.test.ts',
  'server/IDENTITY.md Prove your domains': 'identity.test.ts',
  'server/IDENTITY.md Require the provider': 'identity.test.ts',
  'server/IDENTITY.md Roles by group': 'identity.test.ts',
  'server/IDENTITY.md Provision with SCIM': 'identity.test.ts',
  'server/ASSISTANT.md Without a language model': 'assistant.test.ts',
  'server/ASSISTANT.md With a language model': 'assistant.test.ts',
  'server/INTEGRATIONS.md Pipeline runs': 'integrations.test.ts',
  'server/INTEGRATIONS.md Messages to chats': 'integrations.test.ts',
  'server/README.md Containers': 'need Docker; test/docker holds the files that they use',
  'server/cli/README.md Events for rules': 'commands.test.ts',
  'server/cli/README.md Recorded logs': 'needs the archives of a manager; test/server/cli/replay.test.ts runs the command',
  'server/cli/README.md Which rules fire': 'commands.test.ts',
  'server/cli/README.md Two contents on the same events': 'needs a repository with content; test/server/cli/replay-compare.test.ts runs the command',
  'server/cli/README.md On several machines': 'needs recorded events; test/server/cli/replay-sources.test.ts runs both calls',
  'server/cli/README.md What tests are worth': 'needs content with cases; test/server/cli/mutate.test.ts runs the command',
  'server/features/replays/README.md Upload': 'commands.test.ts',
  'server/features/replays/README.md Replays': 'commands.test.ts',
  'server/cli/README.md The command line': 'commands.test.ts',
  'server/cli/README.md The playground': 'run until they are stopped; test/server/cli/playground.test.ts starts the command',
  'server/language/EDITORS.md VS Code': 'need a package registry and VS Code; test/server/language/stdio.test.ts runs its server',
  'test/parity/README.md Random contents of our own': 'takes minutes; test/parity/random/random.test.ts runs fewer contents',
}

test('every section with commands is run by a test', () => {
  const sections = pages().flatMap((page) => [...commandsBySection(page).keys()].map((section) => `${page} ${section}`))
  assert.deepEqual(sections.sort(), Object.keys(COMMANDS).sort())
})

test('every link leads to an existing file and heading', () => {
  const broken = pages().flatMap((page) =>
    linksOf(page)
      .filter(({ path, heading }) => !exists(path) || (heading !== null && path.endsWith('.md') && !anchorsOf(path).includes(heading)))
      .map(({ path, heading }) => `${page} → ${path}${heading === null ? '' : `#${heading}`}`),
  )
  assert.deepEqual(broken, [])
})
