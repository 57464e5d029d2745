/** Runs the commands of server/ASSISTANT.md with a started service, and a server of the tests in place of the provider. */
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import test from 'node:test'
import { says, startAiProvider } from '../support/ai-provider.js'
import { commandsOf, fencesBySection, missingTools } from './pages.js'
import { answers, assertContains, withService } from './shell.js'

const PAGE = 'server/ASSISTANT.md'
/** Separates the output of two sections. */
const MARK = '=== here ==='
const SECTIONS = ['Without a language model', 'With a language model']
const missing = missingTools()
const skip = missing.length > 0 && `no ${missing.join(', ')} here`

test('the commands configure the assistant, and answer what the page shows', { skip }, async () => {
  const provider = await startAiProvider()
  try {
    provider.script(says('An answer.'))
    const ofProvider = (text: string): string => text.replaceAll('https://api.openai.com/v1', provider.baseUrl)
    const rule = commandsOf('server/README.md', 'First calls')
    const commands = [rule, ...SECTIONS.flatMap((section) => [`echo '${MARK}'`, ofProvider(commandsOf(PAGE, section))])].join('\n')
    await withService(
      commands,
      (stdout, folder) => {
        const printed = stdout.split(`${MARK}\n`).slice(1)
        for (const [at, section] of SECTIONS.entries()) {
          const found = answers(printed[at])
          const shown = fencesBySection(PAGE, 'json').get(section) ?? []
          assert.equal(found.length, shown.length, printed[at])
          for (const [number, text] of shown.entries()) assertContains(found[number], JSON.parse(ofProvider(text)), `${section}, answer ${number + 1}`)
        }
        assert.match(readFileSync(join(folder, 'stream.txt'), 'utf8'), /\[DONE\]\s*$/)
        const { sources } = JSON.parse(readFileSync(join(folder, 'answer.json'), 'utf8')) as { sources: readonly object[] }
        assert.ok(sources.length > 0)
      },
      { NATIVE_SERVICE_ALLOW_PRIVATE_TARGETS: 'true' },
    )
  } finally {
    await provider.close()
  }
})
